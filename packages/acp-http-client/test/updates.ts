import { afterEach, describe, expect, test } from "vitest"
import { AcpHttpClient, type AcpHttpClientOptions, type Envelope, type Limits } from "../src/acp-http-client.ts"
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

  const session = async (limits: Partial<Limits>, more: Partial<AcpHttpClientOptions> = {}) => {
    const server = await startSdkServer()
    ending.push(server.stop)
    const client = new AcpHttpClient({ url: server.url, limits, ...more })
    ending.push(() => client.close())
    await client.initialize()
    const { sessionId } = await client.newSession({ cwd: "/", mcpServers: [] })
    return { client, sessionId }
  }
  const endless = { readersBehindMs: Number.POSITIVE_INFINITY }

  test("an answer comes when each reader is done with what came before it, one that takes its time as well", async () => {
    const { client, sessionId } = await session(endless)
    let [quick, slow, all] = [0, 0, 0]
    const readers = [
      (async () => {
        for await (const _ of client.updates(sessionId)) quick++
      })(),
      (async () => {
        for await (const _ of client.updates(sessionId)) {
          await new Promise((resolve) => setTimeout(resolve, 1))
          slow++
        }
      })(),
      (async () => {
        for await (const _ of client.updates()) all++
      })(),
    ]
    for (const turn of [1, 2]) {
      await client.prompt(promptOf(sessionId, "say 300"))
      expect([quick, slow, all]).toEqual(Array(3).fill(300 * turn))
    }
    await client.close()
    await Promise.all(readers)
  })

  test("a reader that waits for an answer in its own loop gets it", async () => {
    const { client, sessionId } = await session(endless)
    const seen: string[] = []
    const reading = (async () => {
      for await (const notification of client.updates(sessionId)) {
        seen.push(textOf(notification))
        if (seen.length === 1) seen.push((await client.prompt(promptOf(sessionId, "say 50"))).stopReason)
        if (seen.length === 53) return
      }
    })()
    // Its answer is behind the reader, who waits for another.
    await Promise.all([client.prompt(promptOf(sessionId, "say 2")), reading])
    expect(seen.slice(0, 4)).toEqual(["0", "end_turn", "1", "0"])
  })

  test("nobody waits for a reader that has not begun, one that has left, or one of another session", async () => {
    const { client, sessionId } = await session(endless)
    const other = await client.newSession({ cwd: "/", mcpServers: [] })
    const [unread, left, elsewhere] = [
      client.updates(sessionId),
      client.updates(sessionId),
      client.updates(other.sessionId),
    ]
    const first = left.next()
    void elsewhere.next()
    const turn = client.prompt(promptOf(sessionId, "say 20"))
    await first
    await left.return?.()
    expect(await turn).toEqual({ stopReason: "end_turn" })
    expect(await collect(unread, 20)).toHaveLength(20)
  })

  test("an answer that waits for a reader rejects when its caller gives up, and is there when the client is closed", async () => {
    const sent: string[] = []
    let answers = 0
    const onEnvelope = (envelope: Envelope, direction: string) => {
      if (direction === "outbound" && "method" in envelope) sent.push(envelope.method)
      if (direction === "inbound" && "result" in envelope && JSON.stringify(envelope).includes("end_turn")) answers++
    }
    const { client, sessionId } = await session(endless, { onEnvelope })
    const first = client.updates(sessionId).next()
    const giving = new AbortController()
    const given = client.prompt(promptOf(sessionId, "say 20"), { signal: giving.signal })
    await first
    const closed = client.prompt(promptOf(sessionId, "say 20"))
    const waits = client.updates(sessionId)
    void waits.next()
    await expect.poll(() => answers).toBe(2)
    giving.abort()
    await expect(given).rejects.toMatchObject({ kind: "aborted" })
    expect(sent).not.toContain("session/cancel")
    await client.close()
    expect(await closed).toEqual({ stopReason: "end_turn" })
  })

  overfill(
    ["readersBehindMs"],
    "a reader that takes nothing more is waited for so long, and then no more",
    async () => {
      const { client, sessionId } = await session({ readersBehindMs: 20 })
      const updates = client.updates(sessionId)
      const taken = [updates.next()]
      expect(await client.prompt(promptOf(sessionId, "say 20"))).toEqual({ stopReason: "end_turn" })
      expect(await client.prompt(promptOf(sessionId, "say 20"))).toEqual({ stopReason: "end_turn" })
      taken.push(...Array.from({ length: 39 }, () => updates.next()))
      expect(await Promise.all(taken)).toHaveLength(40)
    },
  )

  test("a break out of the loop lets go", async () => {
    const { client } = await against(() => undefined)
    await client.initialize()
    const updates = client.updates()
    await updates.return?.()
    expect(await updates.next()).toEqual({ done: true, value: undefined })
  })
})
