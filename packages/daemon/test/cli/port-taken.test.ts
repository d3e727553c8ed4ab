import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"

test("a port that is taken is refused: two daemons would share its requests", async () => {
  await using first = await startDaemon()
  const { port } = new URL(first.url)
  await expect(startDaemon({ flags: ["--port", port] })).rejects.toThrow(`port ${port} is in use`)
  expect(await fetch(`${first.url}/v1/health`)).toMatchObject({ status: 200 })
})
