import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { startDaemon } from "./harness/daemon.ts"

/** The least a release must do, from source and as the executable (`npm run build` comes first in `npm test`). */
describe.each([{ compiled: false }, { compiled: true }])("smoke, compiled: $compiled", ({ compiled }) => {
  test("a session answers, survives a restart and goes on", async () => {
    await using first = await startDaemon({ compiled })
    await first.api.create("one")
    const events = await first.api.turn("one", "hello there")
    expect(events.at(-1)?.type).toBe("turn.ended")
    expect(await first.stop()).toBe(0)

    await using second = await startDaemon({ compiled, dataDir: first.dataDir })
    const { items } = await second.api.items("one")
    expect(items.map((item) => [item.role, item.content])).toEqual([
      ["user", [{ type: "text", text: "hello there" }]],
      ["assistant", [{ type: "text", text: "hello there" }]],
    ])
    const more = await second.api.turn("one", "again")
    expect(more.some((event) => event.type === "item.completed" && event.data.item.role === "assistant")).toBe(true)
  })

  test.runIf(process.platform === "linux")(
    "it runs as it does for users: settings of the tests' engine are not passed on",
    async () => {
      await using daemon = await startDaemon({ compiled })
      const settings = readFileSync(`/proc/${daemon.pid}/environ`, "latin1").split("\0")
      expect(settings.filter((one) => one.startsWith("BUN_JSC_"))).toEqual([])
    },
  )

  test("the first page, the reference and the contract are served without a token", async () => {
    await using daemon = await startDaemon({ compiled })
    for (const path of ["/", "/docs", "/openapi.json", "/v1/health"])
      expect((await fetch(daemon.url + path)).status, path).toBe(200)
    expect((await fetch(`${daemon.url}/v1/sessions`)).status).toBe(401)
  })
})
