import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"

test.each([true, false])("with --closed-docs %s the reference needs a token, or none", async (closed) => {
  await using daemon = await startDaemon({ flags: closed ? ["--closed-docs"] : [] })
  for (const path of ["/docs", "/openapi.json"]) {
    expect((await fetch(daemon.url + path)).status).toBe(closed ? 401 : 200)
    expect((await fetch(daemon.url + path, { headers: daemon.api.headers })).status).toBe(200)
  }
  for (const path of ["/", "/v1/health"]) expect((await fetch(daemon.url + path)).status).toBe(200)
  expect((await fetch(daemon.url, { method: "HEAD" })).status).toBe(200)
})
