import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Line, startProxy } from "../../acp-http-client/test/servers/proxy.ts"
import { random } from "../../acp-http-client/test/servers/random.ts"
import { type Event, SandboxAgentClient, type StreamState } from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { startFront } from "./harness/front.ts"

let daemon: TestDaemon
let line: Line
let client: SandboxAgentClient
const quick = { pauseMinMs: 2, pauseMaxMs: 50, reconnectAttempts: Number.POSITIVE_INFINITY }
beforeAll(async () => {
  daemon = await TestDaemon.start()
  line = await startProxy(daemon.baseUrl)
  client = new SandboxAgentClient({ autoConnect: false, baseUrl: line.url, token, limits: quick })
})
afterAll(async () => {
  line.stop()
  await daemon[Symbol.asyncDispose]()
})

const direct = () => new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
const endOf = (messageId: string) => (event: Event) =>
  event.type === "turn.ended" && event.data.message_ids.includes(messageId)

async function until(stream: AsyncIterable<Event>, isLast: (event: Event) => boolean): Promise<Event[]> {
  const seen: Event[] = []
  for await (const event of stream) {
    seen.push(event)
    if (isLast(event)) return seen
  }
  return expect.unreachable("the stream ended")
}

const ended = { done: true, value: undefined }

/** What a type says, an editor shows: this is compiled. */
function textOf(event: Event): string {
  switch (event.type) {
    case "item.delta":
      return event.data.delta
    case "item.completed":
      return event.data.item.content.map((part) => (part.type === "tool_result" ? part.output : "")).join("")
    case "turn.ended":
      return event.data.stop_reason
    default:
      // @ts-expect-error: only deltas have one
      return typeof event.data.delta === "string" ? event.data.delta : ""
  }
}

test("replay, then live, on one stream that narrows by type", async () => {
  await client.createSession("live", { agent: "mock" })
  const { messageId } = await client.postMessage("live", { message: "/echo one two" })
  const seen = await until(client.streamEvents("live"), endOf(messageId))
  expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, at) => at + 1))
  expect(seen.map(textOf).join("")).toContain("end_turn")
  const page = await client.getEvents("live", { offset: 2, limit: 3, includeRaw: true })
  expect(page).toMatchObject({ hasMore: true, events: [{ sequence: 3 }, { sequence: 4 }, { sequence: 5 }] })
})

test("cut at random, no event is lost and none comes twice", async () => {
  await direct().createSession("cuts", { agent: "mock" })
  const next = random(7)
  line.allowance = () => Math.floor(next() ** 2 * 200_000)
  // Connections of before are kept open, and would pass everything.
  line.cutAll()
  const states: StreamState["state"][] = []
  const before = line.cuts
  const { messageId } = await direct().postMessage("cuts", { message: "/stream 4000 20" })
  const seen = await until(
    client.streamEvents("cuts", { onState: ({ state }) => states.push(state) }),
    endOf(messageId),
  )
  line.allowance = () => undefined
  expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, at) => at + 1))
  expect(line.cuts - before).toBeGreaterThan(3)
  expect(states).toContain("reconnecting")
})

test("the daemon is killed and comes back: the stream goes on", async () => {
  await client.createSession("killed", { agent: "mock" })
  const { messageId } = await client.postMessage("killed", { message: "/sleep 600000" })
  const stream = client.streamEvents("killed")
  const first = await until(
    { [Symbol.asyncIterator]: () => ({ next: () => stream.next() }) },
    ({ type }) => type === "turn.started",
  )
  await daemon.restart()
  const rest = await until(stream, endOf(messageId))
  const all = [...first, ...rest]
  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, at) => at + 1))
  expect(rest.at(-1)).toMatchObject({ data: { stop_reason: "error", error: { code: "daemon_restarted" } } })
})

test("a connection that is open and dead is noticed by its silence", async () => {
  await direct().createSession("silent", { agent: "mock" })
  const patient = new SandboxAgentClient({
    autoConnect: false,
    baseUrl: line.url,
    token,
    limits: { ...quick, stallMs: 100 },
  })
  const states: StreamState[] = []
  const stream = patient.streamEvents("silent", { onState: (state) => states.push(state) })
  await stream.next()
  line.stalled = true
  const { messageId } = await direct().postMessage("silent", { message: "hello" })
  const reading = until(stream, endOf(messageId))
  await expect.poll(() => states.some(({ error }) => error?.kind === "timeout")).toBe(true)
  line.stalled = false
  // What was opened meanwhile is dead as well.
  line.cutAll()
  expect((await reading).length).toBeGreaterThan(3)
})

test.each([": a sign of life\n\n", 'id: 1\ndata: {"half of'])("silence behind %j is noticed as well", async (sent) => {
  let opened = 0
  const server = createServer((_, response) => {
    opened++
    response.writeHead(200, { "content-type": "text/event-stream" }).write(sent)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const limits = { ...quick, stallMs: 100, reconnectAttempts: 2 }
  const patient = new SandboxAgentClient({ autoConnect: false, baseUrl, token, limits })
  await expect(patient.streamEvents("silent").next()).rejects.toMatchObject({ kind: "timeout" })
  expect(opened).toBe(3)
  server.close().closeAllConnections()
})

test("a quiet stream that is cut again and again goes on", async () => {
  await using beating = await TestDaemon.start("--interval", "heartbeatMs=50")
  let cuts = 0
  using front = await startFront(beating.baseUrl, ({ path }, answer, pass) => {
    let pieces = 0
    pass(() => {
      // Its first words have passed, and no event ever does.
      if (path.endsWith("/sse") && ++pieces === 2 && cuts++ < 8) answer.destroy()
    })
  })
  const limits = { ...quick, reconnectAttempts: 3 }
  const cut = new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl, token, limits })
  const { session } = await cut.createSession("quiet", { agent: "mock" })
  const next = cut.streamEvents("quiet", { offset: session.lastSequence }).next()
  await expect.poll(() => cuts).toBeGreaterThan(8)
  await cut.postMessage("quiet", { message: "/echo at last" })
  expect(await next).toMatchObject({ value: { sequence: session.lastSequence + 1 } })
})

test("a reader that takes nothing holds back the stream, not memory", async () => {
  await direct().createSession("slow", { agent: "mock" })
  const { messageId } = await direct().postMessage("slow", { message: "/stream 1500 16384" })
  await until(direct().streamEvents("slow"), endOf(messageId))
  let passed = 0
  using front = await startFront(daemon.baseUrl, (_, __, pass) => {
    pass((bytes) => {
      passed += bytes
    })
  })
  const slow = new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl, token, limits: quick })
  const stream = slow.streamEvents("slow")
  expect(await stream.next()).toMatchObject({ done: false, value: { sequence: 1 } })
  // Until nothing moves any more.
  for (let before = -1; passed !== before; ) {
    before = passed
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  const held = passed
  const rest = await until(stream, endOf(messageId))
  expect(rest.at(-1)?.sequence).toBe(rest.length + 1)
  expect(passed).toBeGreaterThan(40 * 2 ** 20)
  // What the kernel keeps for two connections may be some megabytes.
  expect(held).toBeLessThan(passed / 2)
})

/** Cuts the first stream of this path behind its first words, and lets nobody back before it is told to. */
async function startCutting(target: string, path: string) {
  const cut = Promise.withResolvers<void>()
  const back = Promise.withResolvers<void>()
  let streams = 0
  const front = await startFront(target, (seen, answer, pass) => {
    if (seen.path !== path) return pass()
    if (streams++ > 0) return void back.promise.then(() => pass())
    let pieces = 0
    pass(() => {
      if (++pieces !== 2) return
      answer.destroy()
      cut.resolve()
    })
  })
  const client = new SandboxAgentClient({ autoConnect: false, baseUrl: front.baseUrl, token, limits: quick })
  return { client, cut: cut.promise, letBack: back.resolve, [Symbol.dispose]: front.stop }
}

test("what comes while a stream is cut off is told also where nothing came before", async () => {
  await using beating = await TestDaemon.start("--interval", "heartbeatMs=50")
  const there = new SandboxAgentClient({ autoConnect: false, baseUrl: beating.baseUrl, token })
  using all = await startCutting(beating.baseUrl, "/v1/events/sse")
  const first = all.client.streamGlobalEvents().next()
  await all.cut
  await there.createSession("meanwhile", { agent: "mock" })
  all.letBack()
  expect(await first).toMatchObject({ value: { type: "session.created", session_id: "meanwhile" } })
  const { id } = await there.processes.start({ shell: "echo before; read word; echo $word; read more" })
  const wrote = async (last: number) =>
    expect.poll(async () => (await there.processes.logs(id)).lastSequence).toBeGreaterThanOrEqual(last)
  await wrote(1)
  using log = await startCutting(beating.baseUrl, `/v1/processes/${id}/logs`)
  const next = log.client.processes.follow(id, { tail: 0 }).next()
  await log.cut
  await there.processes.input(id, "meanwhile\n")
  await wrote(2)
  log.letBack()
  const { value } = await next
  expect(value?.type === "log" && atob(value.data)).toBe("meanwhile\n")
})

test("several can ask one stream at once, and leaving it settles them all", async () => {
  await direct().createSession("many", { agent: "mock" })
  const stream = client.streamEvents("many")
  const { lastSequence } = await direct().getSession("many")
  const first = await Promise.all(Array.from({ length: lastSequence }, () => stream.next()))
  expect(first.map(({ value }) => value?.sequence)).toEqual(first.map((_, at) => at + 1))
  const waiting = [stream.next(), stream.next()]
  await stream.return()
  expect(await Promise.all(waiting)).toEqual([ended, ended])
  expect(await stream.next()).toEqual(ended)
})

test("what ends a stream is told: a session that is gone, a place that is not there", async () => {
  await direct().createSession("gone", { agent: "mock" })
  const stream = client.streamEvents("gone")
  await stream.next()
  await direct().deleteSession("gone")
  await expect(until(stream, () => false)).rejects.toMatchObject({ code: "session_not_found" })
  expect(await stream.next()).toEqual(ended)
  await direct().createSession("short", { agent: "mock" })
  await expect(client.streamEvents("short", { offset: 9999 }).next()).rejects.toMatchObject({ code: "invalid_request" })
})

test("the turn of one message, and the lifecycle of all sessions", async () => {
  const all = client.streamGlobalEvents()
  await all.opened()
  await client.createSession("global", { agent: "mock" })
  const turn: Event[] = []
  for await (const event of client.streamMessage("global", { message: "/echo mine" })) turn.push(event)
  expect(turn.at(-1)?.type).toBe("turn.ended")
  for await (const event of all) if (event.session_id === "global" && event.type === "session.status") break
})
