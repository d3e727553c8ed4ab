import { expect, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { metricBecomes } from "../streaming/raw-stream.ts"
import { rising, saidIn, text, Wire } from "./wire.ts"

const isAnswer = (id: number) => (message: { id?: unknown; method?: string }) =>
  message.id === id && message.method === undefined

/** An official client by hand: one connection, one session, its streams. */
async function official(wire: Wire, session: string) {
  const connection = await wire.initialize()
  const headers = { "acp-connection-id": connection }
  const ofSession = { ...headers, "acp-session-id": session }
  const connectionStream = await wire.stream(headers)
  const params = { cwd: "/tmp", mcpServers: [], _meta: { "sandboxagent.dev": { requestedSessionId: session } } }
  expect((await wire.post({ jsonrpc: "2.0", id: 1, method: "session/new", params }, headers)).status).toBe(202)
  await connectionStream.until(isAnswer(1))
  const prompt = (id: number, words: string) =>
    wire.post(
      { jsonrpc: "2.0", id, method: "session/prompt", params: { sessionId: session, prompt: text(words) } },
      ofSession,
    )
  return { headers, ofSession, connectionStream, prompt }
}

test("a session stream that is cut goes on after its last id: nothing twice, nothing lost, the answer included", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const { ofSession, prompt } = await official(wire, "one")
  const first = await wire.stream(ofSession)
  expect((await prompt(2, "/flood 400 400")).status).toBe(202)
  await first.until(({ params }) => JSON.stringify(params ?? {}).includes("agent_message_chunk"))
  await first.cut()
  const second = await wire.stream({ ...ofSession, "last-event-id": first.lastId })
  await second.until(isAnswer(2))
  const whole = [...first.received, ...second.received]
  expect(rising(whole.map(({ id }) => id))).toBe(true)
  const stored = (await daemon.api.items("one")).items.find(({ role }) => role === "assistant")
  expect([{ type: "text", text: saidIn(whole.map(({ message }) => message)) }]).toEqual(stored?.content)
  // From any place the same bytes follow.
  for (const at of [0, Math.floor(whole.length / 2), whole.length - 2]) {
    const again = await wire.stream({ ...ofSession, "last-event-id": whole[at]?.id ?? "" })
    await again.until(isAnswer(2))
    expect(again.received).toEqual(whole.slice(at + 1))
    await again.cut()
  }
})

test("the connection's own stream carries ids and replays answers", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const { headers, connectionStream } = await official(wire, "one")
  for (const id of [5, 6, 7]) await wire.post({ jsonrpc: "2.0", id, method: "session/list" }, headers)
  await connectionStream.until(isAnswer(7))
  expect(rising(connectionStream.received.map(({ id }) => id))).toBe(true)
  await connectionStream.cut()
  const again = await wire.stream({ ...headers, "last-event-id": connectionStream.received[0]?.id ?? "" })
  await again.until(isAnswer(7))
  expect(again.received).toEqual(connectionStream.received.slice(1))
})

test("a client that returns without an id gets what the last reader was not given", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const { headers, connectionStream } = await official(wire, "one")
  await connectionStream.cut()
  await metricBecomes(daemon, "streams_open", 0)
  await wire.post({ jsonrpc: "2.0", id: 5, method: "session/list" }, headers)
  const again = await wire.stream(headers)
  await again.until(isAnswer(5))
  expect(again.messages.filter(isAnswer(1))).toEqual([])
})

test("kill -9 in the middle of a turn: the next daemon goes on with the same connection and answers the prompt", async () => {
  const dataDir = scratch()
  let first: Awaited<ReturnType<typeof official>>
  let before: { id: string; message: object }[]
  let lastId: string
  {
    await using daemon = await startDaemon({ dataDir })
    const wire = new Wire(daemon)
    first = await official(wire, "one")
    const stream = await wire.stream(first.ofSession)
    // However late the kill comes, the turn has not ended.
    await first.prompt(2, "/flood 5000 300\n/sleep 600000")
    await stream.until(({ params }) => JSON.stringify(params ?? {}).includes("agent_message_chunk"))
    daemon.kill("SIGKILL")
    await daemon.exited
    await stream.ended
    before = stream.received
    lastId = stream.lastId
  }
  await using daemon = await startDaemon({ dataDir })
  const wire = new Wire(daemon)
  const stream = await wire.stream({ ...first.ofSession, "last-event-id": lastId })
  expect(stream.status).toBe(200)
  const answer = await stream.until(isAnswer(2))
  expect(answer.error).toMatchObject({ data: { code: "daemon_restarted" } })
  const whole = [...before, ...stream.received]
  expect(rising(whole.map(({ id }) => id))).toBe(true)
  const stored = (await daemon.api.items("one")).items.find(({ role }) => role === "assistant")
  expect([{ type: "text", text: saidIn(whole.map(({ message }) => message)) }]).toEqual(stored?.content)
  // The same connection works on: no initialize, no load.
  const params = { sessionId: "one", prompt: text("after") }
  await wire.post({ jsonrpc: "2.0", id: 3, method: "session/prompt", params }, first.ofSession)
  expect((await stream.until(isAnswer(3))).result).toMatchObject({ stopReason: "end_turn" })
})

test("a request that the killed daemon had not answered is answered by the next one", async () => {
  const dataDir = scratch()
  let headers: Record<string, string>
  let lastId: string
  {
    await using daemon = await startDaemon({ dataDir })
    const wire = new Wire(daemon)
    const { ofSession, connectionStream, prompt, headers: connection } = await official(wire, "one")
    headers = { ...connection, "acp-session-id": "one" }
    const stream = await wire.stream(ofSession)
    await prompt(2, "/hang")
    await daemon.api.until("one", "turn.started")
    // It ignores SIGTERM, so the close takes as long as the daemon's patience.
    await wire.post({ jsonrpc: "2.0", id: 9, method: "session/close", params: { sessionId: "one" } }, ofSession)
    lastId = stream.lastId || connectionStream.lastId
    daemon.kill("SIGKILL")
    await daemon.exited
  }
  await using daemon = await startDaemon({ dataDir })
  const stream = await new Wire(daemon).stream({ ...headers, "last-event-id": lastId })
  const answer = await stream.until(isAnswer(9))
  expect(answer.result ?? answer.error?.message).toMatch(/restarted/)
})

test("without headers: the stream replays after a cut and after kill -9, answers to cut requests included", async () => {
  const dataDir = scratch()
  let lastId: string
  {
    await using daemon = await startDaemon({ dataDir })
    const wire = new Wire(daemon)
    const stream = await wire.stream()
    await wire.initialize()
    await wire.create("one")
    const cut = wire
      .ask("session/prompt", { sessionId: "one", prompt: text("/sleep 60000") }, 77)
      .catch(() => undefined)
    await stream.until(({ params }) => JSON.stringify(params ?? {}).includes("user_message_chunk"))
    expect(rising(stream.received.map(({ id }) => id))).toBe(true)
    lastId = stream.lastId
    daemon.kill("SIGKILL")
    await daemon.exited
    await cut
  }
  await using daemon = await startDaemon({ dataDir })
  const wire = new Wire(daemon)
  const stream = await wire.stream({ "last-event-id": lastId })
  expect((await stream.until(isAnswer(77))).error).toMatchObject({ data: { code: "daemon_restarted" } })
  // Still attached, without a word of initialize.
  await daemon.api.turn("one", "from elsewhere")
  await stream.until(({ params }) => JSON.stringify(params ?? {}).includes("from "))
})

test("a history that is cut while it is told goes on where it was", async () => {
  await using daemon = await startDaemon()
  await daemon.api.create("one")
  for (let i = 0; i < 40; i++) await daemon.api.turn("one", `message ${i}`)
  const wire = new Wire(daemon)
  const stream = await wire.stream()
  await wire.initialize()
  await wire.ask("session/load", { sessionId: "one", cwd: "/tmp", mcpServers: [] }, 4)
  await stream.until(isAnswer(4))
  await stream.cut()
  const middle = stream.received.findIndex(({ message }) => JSON.stringify(message).includes("message 20"))
  expect(middle).toBeGreaterThan(0)
  const again = await wire.stream({ "last-event-id": stream.received[middle]?.id ?? "" })
  await again.until(isAnswer(4))
  expect(again.received).toEqual(stream.received.slice(middle + 1))
})

test("cursors that cannot be served are refused in words", async () => {
  await using daemon = await startDaemon()
  await daemon.api.create("before")
  const wire = new Wire(daemon)
  const { headers } = await official(wire, "one")
  const status = async (id: string, more: Record<string, string> = headers) => {
    const stream = await wire.stream({ ...more, "last-event-id": id })
    await stream.cut()
    return stream.status
  }
  expect(await status("garbage")).toBe(400)
  expect(await status("99999999.0")).toBe(400)
  expect(await status("1.0")).toBe(410)
  expect(await status("5.0", {})).toBe(410) // nobody was here without headers
})

test("events that retention took are gone, and the client is told to load", async () => {
  await using daemon = await startDaemon({ flags: ["--retention-bytes", "20000"], intervals: { tidyMs: 200 } })
  const wire = new Wire(daemon)
  const { ofSession, prompt } = await official(wire, "one")
  const stream = await wire.stream(ofSession)
  await prompt(2, "first")
  await stream.until(isAnswer(2))
  const early = stream.received[0]?.id ?? ""
  await stream.cut()
  const { lastSequence } = await daemon.api.session("one")
  for (let i = 0; i < 6; i++) await daemon.api.turn("one", "/stream 200")
  // It is taken page by page: until all of the first turn is.
  const first = async () => (await daemon.api.session("one")).firstSequence
  await expect.poll(first).toBeGreaterThan(lastSequence)
  const late = await wire.stream({ ...ofSession, "last-event-id": early })
  expect(late.status).toBe(410)
  expect(await late.response.json()).toMatchObject({ sessionId: "one", hint: expect.stringContaining("session/load") })
})

test("DELETE and dropped streams end the attachment, never the turn", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const { headers, ofSession, connectionStream, prompt } = await official(wire, "one")
  const stream = await wire.stream(ofSession)
  await prompt(2, "/flood 200 100")
  await stream.until(({ params }) => JSON.stringify(params ?? {}).includes("agent_message_chunk"))
  expect(await wire.remove(headers)).toBe(202)
  expect(await wire.remove(headers)).toBe(404)
  await Promise.all([connectionStream.ended, stream.ended])
  const ended = await daemon.api.until("one", "turn.ended")
  expect(ended.data.stop_reason).toBe("end_turn")
  expect((await wire.stream(headers)).status).toBe(404)
})

test("a stream that is cut again and again, at any moment, carries every message exactly once", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const { ofSession, prompt } = await official(wire, "one")
  let stream = await wire.stream(ofSession)
  const whole = [...stream.received]
  await prompt(2, "/flood 1500 500")
  for (let cuts = 0; !whole.some(({ message }) => isAnswer(2)(message)); cuts++) {
    // Never the same moment: after so many messages, or when there is nothing to read.
    const enough = 1 + ((cuts * 37) % 211)
    await stream.until((_) => stream.received.length >= enough || stream.messages.some(isAnswer(2)))
    await stream.cut()
    whole.push(...stream.received)
    stream = await wire.stream({ ...ofSession, "last-event-id": whole.at(-1)?.id ?? "" })
  }
  await stream.cut()
  expect(rising(whole.map(({ id }) => id))).toBe(true)
  const stored = (await daemon.api.items("one")).items.find(({ role }) => role === "assistant")
  expect([{ type: "text", text: saidIn(whole.map(({ message }) => message)) }]).toEqual(stored?.content)
})
