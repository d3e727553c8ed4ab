import { once } from "node:events"
import { rmSync } from "node:fs"
import { connect } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { text, Wire } from "./wire.ts"

/** Longer than the test: an answer that waits for a stream without a client never comes. */
const intervals = { replayWaitMs: 600_000 }

/**
 * A request whose client ends its connection in the same moment. As the first one of a run it waits until the face is
 * loaded, and when its turn comes the client has been gone for a while.
 */
async function askAndLeave(daemon: TestDaemon, words: string, headers: object = {}, body = ""): Promise<void> {
  const { hostname, port } = new URL(daemon.url)
  const all = { host: "127.0.0.1", authorization: `Bearer ${daemon.token}`, "content-length": body.length, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(port), hostname)
  socket.end(`${words} HTTP/1.1\r\n${lines.join("")}\r\n${body}`)
  socket.resume()
  await once(socket, "close")
}

/** A folder for two runs of a daemon. */
function keptFolder(): string {
  const dataDir = scratch()
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

test("a client that left before its stream was opened holds up nobody's answer", async () => {
  await using daemon = await startDaemon({ intervals })
  const wire = new Wire(daemon)
  await askAndLeave(daemon, "GET /v1/rpc", { accept: "text/event-stream" })
  await wire.initialize()
  await wire.create("one")
  const prompted = await wire.ask("session/prompt", { sessionId: "one", prompt: text("hello") })
  expect(prompted.result).toMatchObject({ stopReason: "end_turn" })
  const loaded = await wire.ask("session/load", { sessionId: "one", cwd: "/tmp", mcpServers: [] })
  expect(loaded.error).toBeUndefined()
})

test("its place on a stream with headers is free", async () => {
  const dataDir = keptFolder()
  const first = await startDaemon({ dataDir })
  const headers = { "acp-connection-id": await new Wire(first).initialize() }
  await (await new Wire(first).stream(headers)).cut()
  await first.stop()
  await using daemon = await startDaemon({ dataDir })
  await askAndLeave(daemon, "GET /v1/rpc", { accept: "text/event-stream", ...headers })
  const stream = await new Wire(daemon).stream(headers)
  expect(stream.status).toBe(200)
  await stream.cut()
})

test("its answer is on the stream for everybody: there is no body that it could be in", async () => {
  const dataDir = keptFolder()
  const first = await startDaemon({ dataDir })
  const began = new Wire(first)
  await began.initialize()
  await began.create("one")
  await first.stop()
  await using daemon = await startDaemon({ dataDir })
  const params = { sessionId: "one", prompt: text("/permission echo yes") }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "session/prompt", params })
  await askAndLeave(daemon, "POST /v1/rpc", { "content-type": "application/json" }, body)
  const { data } = await daemon.api.until("one", "permission.requested")
  const stream = await new Wire(daemon).stream()
  await daemon.api.ok("POST", `/v1/sessions/one/permissions/${data.permission_id}/reply`, { reply: "once" })
  expect((await stream.until(({ id }) => id === 7)).result).toMatchObject({ stopReason: "end_turn" })
  expect([...stream.names]).toEqual([])
  await stream.cut()
})
