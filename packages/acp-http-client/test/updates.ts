import { afterEach, describe, expect, test } from "vitest"
import { AcpHttpClient } from "../src/acp-http-client.ts"
import { against, endAll, ending } from "./odd-client.ts"
import { overfill } from "./overfill.ts"
import { collect, promptOf, textOf } from "./reading.ts"
import { startSdkServer } from "./servers/process.ts"

afterEach(endAll)

describe("readers of updates", () => {
  test("a slow reader slows the stream down and loses nothing", async () => {
    const server = await startSdkServer()
    ending.push(server.stop)
    const limits = { queuedUpdates: 16, readerStallMs: Number.POSITIVE_INFINITY }
    const client = new AcpHttpClient({ url: server.url, limits })
    ending.push(() => client.close())
    await client.initialize()
    const { sessionId } = await client.newSession({ cwd: "/", mcpServers: [] })
    const updates = client.updates(sessionId)
    const turn = client.prompt(promptOf(sessionId, "say 3000"))
    for (let at = 0; at < 3000; at++) {
      const { value } = await updates.next()
      if (textOf(value) !== `${at}`) throw new Error(`${textOf(value)} at ${at}`)
      if (at % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(await turn).toEqual({ stopReason: "end_turn" })
  })

  overfill(
    ["queuedUpdates", "readerStallMs"],
    "a reader that takes nothing overflows, the turn behind it ends, other readers go on",
    async () => {
      const server = await startSdkServer()
      ending.push(server.stop)
      const client = new AcpHttpClient({ url: server.url, limits: { queuedUpdates: 16, readerStallMs: 300 } })
      ending.push(() => client.close())
      await client.initialize()
      const { sessionId } = await client.newSession({ cwd: "/", mcpServers: [] })
      const [idle, busy] = [client.updates(sessionId), client.updates(sessionId)]
      const all = collect(busy, 200)
      expect(await client.prompt(promptOf(sessionId, "say 200"))).toEqual({ stopReason: "end_turn" })
      expect(await all).toHaveLength(200)
      await expect(idle.next()).rejects.toMatchObject({ kind: "overflow" })
      expect(await idle.next()).toEqual({ done: true, value: undefined })
    },
  )

  overfill(["queuedUpdateChars"], "one large update counts by its size", async () => {
    const server = await startSdkServer()
    ending.push(server.stop)
    const client = new AcpHttpClient({ url: server.url, limits: { queuedUpdateChars: 50_000, readerStallMs: 300 } })
    ending.push(() => client.close())
    await client.initialize()
    const { sessionId } = await client.newSession({ cwd: "/", mcpServers: [] })
    const updates = client.updates(sessionId)
    await client.prompt(promptOf(sessionId, "big 100000"))
    await expect(updates.next()).rejects.toMatchObject({ kind: "overflow" })
  })

  test("a break out of the loop lets go", async () => {
    const { client } = await against(() => undefined)
    await client.initialize()
    const updates = client.updates()
    await updates.return?.()
    expect(await updates.next()).toEqual({ done: true, value: undefined })
  })
})
