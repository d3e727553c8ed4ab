import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { metricBecomes } from "../streaming/raw-stream.ts"
import { paused } from "./paused-stream.ts"
import { Wire } from "./wire.ts"

const MiB = 1024 * 1024
const rss = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024

test("stalled clients cost bounded memory, slow nobody, and get everything once they read again", async () => {
  await using daemon = await startDaemon()
  await daemon.api.create("one")
  await daemon.api.turn("one", "/stream 20000")
  const wire = new Wire(daemon)
  const join = async () => {
    const headers = { "acp-connection-id": await wire.initialize(), "acp-session-id": "one" }
    const params = { sessionId: "one", cwd: "/tmp", mcpServers: [] }
    await wire.post({ jsonrpc: "2.0", id: 1, method: "session/resume", params }, headers)
    return headers
  }
  // A post is answered before the session is joined; what is said until then is for others.
  const joined = '"id":1,'
  const stall = async () => paused(daemon, "/v1/rpc", await join(), joined)
  const stalled = await Promise.all(Array.from({ length: 6 }, stall))
  await Promise.all(stalled.map(({ opened }) => opened))
  const quick = await wire.stream(await join())
  await quick.until(({ id }) => id === 1)
  const before = rss(daemon.pid)
  for (let turn = 0; turn < 3; turn++) await daemon.api.turn("one", "/stream 5000 1600")
  const chunk = '"sessionUpdate":"agent_message_chunk"'
  let looked = 0
  let chunks = 0
  const count = () => {
    for (; looked < quick.received.length; looked++)
      if (JSON.stringify(quick.received[looked]?.message).includes(chunk)) chunks++
    if (chunks < 15_000) quick.assertOpen()
    return chunks
  }
  await expect.poll(count, { timeout: 150_000, interval: 200 }).toBe(15_000)
  // Six queues of what was said would be 150 MB and more.
  expect(rss(daemon.pid) - before).toBeLessThan(120 * MiB)
  for (const reader of stalled) {
    const text = await reader.goOn((all) => all.split(chunk).length > 15_000)
    expect(text.split(chunk).length - 1).toBe(15_000)
    reader.close()
  }
  await quick.cut()
}, 180_000)

test("a stream whose client takes nothing for too long is closed, and the client goes on with its cursor", async () => {
  await using daemon = await startDaemon({ flags: ["--stalled-reader-seconds", "1"] })
  await daemon.api.create("one")
  const wire = new Wire(daemon)
  const stream = await wire.stream()
  await wire.initialize()
  await wire.ask("session/resume", { sessionId: "one", cwd: "/tmp", mcpServers: [] }, 5)
  await stream.until(({ id }) => id === 5)
  const { lastId } = stream
  await stream.cut()
  const stuck = paused(daemon, "/v1/rpc", { "last-event-id": lastId })
  await stuck.opened
  await daemon.api.turn("one", "/stream 5000 1600")
  await metricBecomes(daemon, "streams_open", 0)
  stuck.close()
  let count = 0
  // On a busy machine this client is slow as well, and goes on once more.
  for (let after = lastId; count < 5_000; ) {
    const again = await wire.stream({ "last-event-id": after })
    let isOver = false
    void again.ended.then(() => {
      isOver = true
    })
    const chunks = () => again.messages.filter((one) => JSON.stringify(one).includes("agent_message_chunk")).length
    const isEnough = () => isOver || count + chunks() >= 5_000
    await expect.poll(isEnough, { timeout: 100_000, interval: 200 }).toBe(true)
    await again.cut()
    count += chunks()
    after = again.lastId || after
  }
  expect(count).toBe(5_000)
}, 120_000)
