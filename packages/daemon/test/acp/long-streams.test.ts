import { once } from "node:events"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, onTestFinished, test } from "vitest"
import type { Acp } from "../../src/faces/acp/acp.ts"
import { Feed } from "../../src/faces/acp/feed.ts"
import { traitsOf } from "../../src/faces/acp/projection/traits.ts"
import type { TestDaemon } from "../harness/daemon.ts"
import { play, startPuppet } from "../hostile/puppet.ts"
import { standalone } from "./standalone.ts"
import { Wire } from "./wire.ts"

const MiB = 1024 * 1024
const resident = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024

/** A line of six megabytes of a word. */
const lineOf = (word: string) => ({
  begin:
    '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":{"sessionUpdate":"plan","entries":[],"_meta":{"x":"',
  middle: word,
  times: Math.floor((6 * MiB) / word.length),
  end: '"}}}}',
})

const withoutChunks = (bytes: Buffer): string => bytes.toString("latin1").replace(/\r\n[0-9a-f]+\r\n/g, "")

/** A stream of which nothing is taken until somebody wants it. */
function unread(daemon: TestDaemon, headers: Record<string, string>) {
  const socket = connect(Number(new URL(daemon.url).port), "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  socket.on("error", () => {}) // cut off in the end
  socket.pause()
  const all = { host: "127.0.0.1", authorization: `Bearer ${daemon.token}`, accept: "text/event-stream", ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET /v1/rpc HTTP/1.1\r\n${lines.join("")}\r\n`)
  const closed = once(socket, "close").then(() => Promise.reject(new Error("the stream was closed")))
  closed.catch(() => {})
  /** All up to a word, without the chunks of HTTP, one of which may begin in the middle of the word. */
  const until = (word: string): Promise<string> => {
    const pieces: Buffer[] = []
    let end = Buffer.alloc(0)
    const found = new Promise<string>((resolve) => {
      const take = (piece: Buffer) => {
        pieces.push(piece)
        end = Buffer.concat([end.subarray(-200), piece])
        if (!withoutChunks(end).includes(word)) return
        socket.off("data", take).pause()
        resolve(withoutChunks(Buffer.concat(pieces)))
      }
      socket.on("data", take).resume()
    })
    return Promise.race([found, closed])
  }
  return { until }
}

test("streams that stall in different long lines cost the room there is for them, and each goes on with the same bytes", async () => {
  await using daemon = await startPuppet()
  await daemon.api.create("long", { agent: "puppet" })
  await play(daemon, "long", [])
  const wire = new Wire(daemon)
  const count = 30
  const streams: ReturnType<typeof unread>[] = []
  for (let i = 0; i < count; i++) {
    const headers = { "acp-connection-id": await wire.initialize({}, "puppet"), "acp-session-id": "long" }
    const params = { sessionId: "long", cwd: "/tmp", mcpServers: [] }
    await wire.post({ jsonrpc: "2.0", id: 1, method: "session/resume", params }, headers)
    const stream = unread(daemon, headers)
    // Until it is in the session, an agent's own words are not kept for it.
    await stream.until('"id":1,')
    streams.push(stream)
    await play(daemon, "long", [lineOf(`line-${i};`)])
  }
  // All that they are in the middle of would be 180 MB, beside what a daemon takes at rest.
  await expect
    .poll(() => resident(daemon.pid), { timeout: 60_000, interval: 500 })
    .toBeLessThan(120 * MiB + limits.heldPagesBytes)
  for (const i of [0, count / 2, count - 1]) {
    const { middle, times } = lineOf(`line-${i};`)
    const reported = await streams[i]?.until(`${middle}"}}}}`)
    expect(reported?.includes(`"x":"${middle.repeat(times)}"}}}}`), `line ${i}`).toBe(true)
  }
}, 300_000)

test("a stream looks at no more than a page of what is not for it before others have their turn", () => {
  const { connections, store } = standalone()
  const connection = connections.open("official", "/v1/rpc", undefined, traitsOf({}))
  const pages = 20
  for (let page = 0; page < pages; page++) {
    for (let n = 0; n < 10; n++) connection.say({ to: "other", envelope: { n } })
    store.flush()
  }
  connection.say({ to: "mine", envelope: { mine: true } })
  store.flush()
  const acp = { ...connections.acp, connections } as Acp
  const feed = new Feed(acp, connection, { kind: "session", id: "mine" }, { pos: -1, k: 0 })
  let looks = 0
  for (let step = feed.step(); step?.lines.length === 0; step = feed.step()) looks++
  expect(looks).toBe(pages)
  expect(feed.step()).toBeUndefined()
  feed.back()
  feed.end()
})
