import { expect, test } from "vitest"
import { type Dialect, headerless, official, prompt } from "../client/acp.ts"
import { openReaders } from "../client/readers.ts"
import { type OurAgent, ours } from "../target/ours.ts"

const updates = 500

/** As the case does it, with few updates: every client of either dialect gets every text. */
test.each<[string, OurAgent, Dialect]>([
  ["/v1/acp", "mock", headerless],
  ["/v1/rpc", "mock", official],
  ["/v1/acp", "generic", headerless],
  ["/v1/rpc", "generic", official],
])(
  "clients of %s are asked, prompted and read by content, agent %s",
  async (path, agent, dialect) => {
    const server = await ours(true, agent).start()
    try {
      const first = await dialect(server, "one")
      expect(first.path.startsWith(path)).toBe(true)
      const second = await dialect(server, "one", first.sessionId)
      const listed = await first.call("session/list", {})
      expect(listed.sessions).toMatchObject([{ sessionId: first.sessionId }])
      const readers = await openReaders({
        port: server.port,
        path: first.path,
        token: server.token,
        headers: [first.headers, second.headers],
        count: 2,
        needle: `ext":"`,
        from: -1,
        until: updates - 1,
        marker: "",
        quietMs: 60_000,
      })
      const answered = prompt(first, `/stream ${updates}`)
      const { delivered, lost, duplicated, quiet } = await readers.result
      expect({ delivered, lost, duplicated, quiet }).toEqual({
        delivered: 2 * updates,
        lost: 0,
        duplicated: 0,
        quiet: false,
      })
      // By the official transport the answer stands on the stream, which the readers have had.
      if (dialect === headerless) expect(await answered).toMatchObject({ stopReason: "end_turn" })
      else answered.catch(() => undefined)
      const seen: string[] = []
      // A stream has one reader, and those just gone may not have been noticed to be.
      const third = await dialect(server, "one", first.sessionId)
      await third.watch((text) => seen.push(text))
      expect(await prompt(third, "hello world")).toMatchObject({ stopReason: "end_turn" })
      expect(seen.join("\n")).toContain(`"agent_message_chunk"`)
      first.close()
      second.close()
      third.close()
    } finally {
      await server.stop()
    }
  },
  180_000,
)
