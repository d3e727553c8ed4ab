import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { expect, test } from "vitest"
import { deltaData, deltaHead, eventText, sessionFields } from "../../src/core/event-text.ts"
import type { Session } from "../../src/core/session.ts"
import { attach, detach } from "../../src/faces/acp/attach.ts"
import { FrameWriter } from "../../src/faces/acp/frames.ts"
import { rememberInBody } from "../../src/faces/acp/headerless.ts"
import { Heads } from "../../src/faces/acp/heads.ts"
import { PassthroughChunks } from "../../src/faces/acp/passthrough-chunks.ts"
import { passthroughPrompt } from "../../src/faces/acp/passthrough-prompt.ts"
import { readPrompt } from "../../src/faces/acp/projection/prompt.ts"
import type { AcpRows } from "../../src/store/acp-rows.ts"
import { frame } from "../../src/store/frames.ts"
import { LineRun } from "../../src/store/line-run.ts"
import { Log } from "../../src/store/log.ts"
import { startDaemon } from "../harness/daemon.ts"
import { overfill } from "./overfill.ts"
import { paused } from "./paused-stream.ts"
import { standalone } from "./standalone.ts"
import { text, Wire } from "./wire.ts"

overfill(
  ["connections"],
  "beyond them the one unheard of for longest goes, never one with an open stream",
  async () => {
    await using daemon = await startDaemon()
    const wire = new Wire(daemon)
    const use = async () => {
      const headers = { "acp-connection-id": await wire.initialize() }
      await wire.post({ jsonrpc: "2.0", method: "no/such" }, headers)
      return headers
    }
    const watched = await use()
    const stream = await wire.stream(watched)
    const oldest = await use()
    for (let made = 2; made < acpLimits.connections; made += 50) await Promise.all(Array.from({ length: 50 }, use))
    await use()
    expect((await wire.stream(oldest)).status).toBe(404)
    expect((await wire.post({ jsonrpc: "2.0", id: 1, method: "session/list" }, watched)).status).toBe(202)
    await stream.until(({ id }) => id === 1)
    await stream.cut()
  },
)

overfill(
  ["promptFieldsChars"],
  "a prompt that says more beside its words and bytes is refused, words are not counted",
  () => {
    const prompt = (given: object[], more: object = {}) =>
      passthroughPrompt({ sessionId: "s", prompt: given, ...more }, readPrompt(given).blocks)
    const words = "x".repeat(acpLimits.promptFieldsChars)
    const tooLarge = expect.objectContaining({ code: "payload_too_large" })
    expect(prompt([{ type: "text", text: words }], { _meta: { n: 1 } })?.params).toEqual({ _meta: { n: 1 } })
    expect(() => prompt([{ type: "text", text: "a", _meta: { words } }])).toThrow(tooLarge)
    expect(() => prompt(text("a"), { _meta: { words } })).toThrow(tooLarge)
  },
)

overfill(["connections"], "one that is owed the answer to a prompt stays while its client is away", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const connection = { "acp-connection-id": await wire.initialize() }
  const first = await wire.stream(connection)
  const params = { cwd: "/tmp", mcpServers: [], _meta: { "sandboxagent.dev": { requestedSessionId: "owed" } } }
  await wire.post({ jsonrpc: "2.0", id: 1, method: "session/new", params }, connection)
  await first.until(({ id }) => id === 1)
  const ofSession = { ...connection, "acp-session-id": "owed" }
  const prompt = { sessionId: "owed", prompt: text("/permission echo waits") }
  await wire.post({ jsonrpc: "2.0", id: 2, method: "session/prompt", params: prompt }, ofSession)
  await daemon.api.until("owed", "permission.requested")
  await first.cut()
  const use = async () => {
    const headers = { "acp-connection-id": await wire.initialize() }
    await wire.post({ jsonrpc: "2.0", method: "no/such" }, headers)
  }
  for (let made = 0; made < acpLimits.connections; made += 50) await Promise.all(Array.from({ length: 50 }, use))
  // Answered while its client is still away, and more come.
  await daemon.api.cancel("owed")
  await daemon.api.until("owed", "turn.ended")
  for (let made = 0; made < 10; made++) await use()
  const again = await wire.stream(ofSession)
  expect(again.status).toBe(200)
  expect((await again.until(({ id, method }) => id === 2 && method === undefined)).result).toMatchObject({
    stopReason: "cancelled",
  })
  await again.cut()
})

const list = { jsonrpc: "2.0", id: 1, method: "session/list" }
const hello = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } }

overfill(
  ["unclaimed"],
  "beyond so many that have just begun the next is refused, and none of them is forgotten",
  async () => {
    await using daemon = await startDaemon()
    const wire = new Wire(daemon)
    const first = await wire.initialize()
    let last = ""
    for (let made = 1; made < acpLimits.unclaimed; made++) last = await wire.initialize()
    const refused = await wire.post(hello)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, String(acpLimits.unclaimedMs / 1_000)])
    expect(refused.body).toMatchObject({
      type: "urn:sandbox-agent:error:too_many_requests",
      limit: acpLimits.unclaimed,
    })
    for (const id of [first, last]) expect((await wire.post(list, { "acp-connection-id": id })).status).toBe(202)
    // Those two are in use now, and two more may begin.
    for (let made = 0; made < 2; made++) expect((await wire.post(hello)).status).toBe(200)
    expect((await wire.post(hello)).status).toBe(429)
    // A client without headers counts all that have begun as its like: they are waited for no longer.
    await wire.post(list)
    expect((await wire.post(hello)).status).toBe(200)
  },
)

overfill(["unclaimed"], "those that were refused make room for others", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const meta = { "sandboxagent.dev": { agent: "no-such-agent" } }
  const wrong = { ...hello, params: { protocolVersion: 1, _meta: meta } }
  for (let made = 0; made <= acpLimits.unclaimed; made++)
    expect((await wire.post(wrong)).body).toMatchObject({ error: { code: expect.any(Number) } })
  expect((await wire.post(list, { "acp-connection-id": await wire.initialize() })).status).toBe(202)
})

overfill(["unclaimedMs"], "one that did not go on for so long makes room, the oldest first; sockets never do", () => {
  const { connections, clock } = standalone()
  const traits = { version: 1, form: false, url: false, notices: false } as const
  const open = (dialect: "official" | "socket") => connections.open(dialect, "/v1/rpc", "mock", traits).id
  const socket = open("socket")
  const [first = "", second = ""] = Array.from({ length: acpLimits.unclaimed }, () => open("official"))
  clock.now += acpLimits.unclaimedMs - 1
  expect(() => open("official")).toThrow(/have begun and not gone on/)
  clock.now += 1
  const next = open("official")
  expect([first, second, next, socket].map((id) => connections.get(id) !== undefined)).toEqual([
    false,
    true,
    true,
    true,
  ])
})

overfill(["connectionMs"], "a client that did not come back for so long is unknown, and its rows are gone", () => {
  const { connections, rows, store, clock } = standalone()
  const connection = connections.open("official", "/v1/rpc", "mock", {
    version: 1,
    form: false,
    url: false,
    notices: false,
  })
  connections.touch(connection)
  connection.say({ envelope: { id: 1 } })
  store.flush()
  clock.now += acpLimits.connectionMs - 1
  connections.tidy()
  expect(connections.get(connection.id)).toBeDefined()
  clock.now += 2
  connections.tidy()
  store.flush()
  expect(connections.get(connection.id)).toBeUndefined()
  expect(rows.conns()).toEqual([])
  expect(store.db.query("SELECT count(*) AS n FROM log").get()).toEqual({ n: 0 })
  // Its places in the order of all messages do not come again.
  expect(store.db.query("SELECT value FROM meta WHERE key = 'pos'").get()).toEqual({ value: "2" })
})

overfill(["keptMessages"], "older messages of a connection's own are cut", () => {
  const { connections, store } = standalone()
  const connection = connections.open("official", "/v1/rpc", "mock", {
    version: 1,
    form: false,
    url: false,
    notices: false,
  })
  connections.touch(connection)
  for (let i = 0; i < acpLimits.keptMessages + 600; i++) {
    connection.say({ envelope: { id: i } })
    if (i % 100 === 99) store.flush()
  }
  store.flush()
  connections.tidy()
  store.flush()
  expect(connection.log.last).toBe(acpLimits.keptMessages + 600)
  expect(connection.log.first).toBeGreaterThan(1)
  expect(connection.log.last - connection.log.first).toBeGreaterThanOrEqual(acpLimits.keptMessages - 1)
})

const traits = { version: 1, form: false, url: false, notices: false } as const

overfill(["pastSpans"], "of a session attached and detached again and again only so many spans are kept", () => {
  const { connections, rows, store } = standalone()
  const connection = connections.open("official", "/v1/rpc", "mock", traits)
  connections.touch(connection)
  const log = new Log(7)
  const s = { record: { uid: 7, id: "s" }, log } as unknown as Session
  const happens = () => {
    store.append(log, log.last + 1, "{}", 0)
    store.flush()
  }
  const { startPos } = connection.doc
  for (let n = 0; n < acpLimits.pastSpans + 20; n++) {
    attach(connection, s)
    happens()
    detach(connection, s)
    happens() // not for this client
  }
  store.flush()
  expect(connection.attachments).toHaveLength(acpLimits.pastSpans)
  expect(rows.attachments(connection.uid)).toHaveLength(acpLimits.pastSpans)
  // The newest are there, and a client that is behind what was forgotten is told so.
  expect(connection.attachments.at(-1)).toMatchObject({ toSeq: log.last - 1 })
  expect(connection.doc.startPos).toBeGreaterThan(startPos)
  for (let n = 0; n < 20; n++) {
    attach(connection, s)
    detach(connection, s)
  }
  // While nothing happens there is nothing to keep.
  expect(new Set(connection.attachments.slice(-2).map(({ fromSeq }) => fromSeq)).size).toBe(2)
  expect(connection.attachments).toHaveLength(acpLimits.pastSpans)
})

test("who detaches and attaches before anything happens gets what comes then", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const stream = await wire.stream()
  await wire.initialize()
  await wire.create("one")
  const turn = async (word: string) => {
    await daemon.api.turn("one", `/echo ${word}`)
    await stream.until((message) => JSON.stringify(message).includes(word))
  }
  for (const word of ["first", "second"]) {
    await turn(word)
    for (let n = 0; n < 3; n++) {
      await wire.ask("_sandboxagent/session/detach", { sessionId: "one" })
      await wire.ask("session/resume", { sessionId: "one", cwd: "/tmp", mcpServers: [] })
    }
  }
  await turn("third")
  await stream.cut()
})

overfill(["idChars"], "a longer id of a request or a session is refused", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const headers = { "acp-connection-id": await wire.initialize() }
  const list = (length: number) => ({ jsonrpc: "2.0", id: "x".repeat(length), method: "session/list" })
  expect((await wire.post(list(acpLimits.idChars), headers)).status).toBe(202)
  expect((await wire.post(list(acpLimits.idChars + 1), headers)).status).toBe(400)
  expect((await wire.post(list(acpLimits.idChars + 1))).body.error).toMatchObject({ code: -32600 })
})

overfill(["serverIdChars"], "a longer name in the path is refused", async () => {
  await using daemon = await startDaemon()
  const status = async (length: number) => {
    const stream = await new Wire(daemon, `/v1/acp/${"x".repeat(length)}`).stream()
    await stream.cut()
    return stream.status
  }
  expect(await status(acpLimits.serverIdChars)).toBe(200)
  expect(await status(acpLimits.serverIdChars + 1)).toBe(400)
})

overfill(["imageBytes"], "of a larger picture the client gets a link", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const stream = await wire.stream()
  await wire.initialize()
  await wire.create("one")
  const picture = (size: number) => ({
    type: "image",
    mimeType: "image/png",
    data: Buffer.alloc(size, 1).toString("base64"),
  })
  for (const size of [1_000, acpLimits.imageBytes + 1])
    await wire.ask("session/prompt", { sessionId: "one", prompt: [...text("look"), picture(size)] })
  const blocks = () =>
    stream.messages.flatMap(({ params }) => {
      const update = params?.update as { sessionUpdate?: string; content?: { type: string } } | undefined
      const { type } = update?.content ?? { type: "text" }
      return update?.sessionUpdate === "user_message_chunk" && type !== "text" ? [type] : []
    })
  await stream.until(() => blocks().length >= 2)
  expect(blocks()).toEqual(["image", "resource_link"])
})

overfill(
  ["replayWaitMs"],
  "an answer to session/load does not wait for ever for a client that takes no history",
  async () => {
    await using daemon = await startDaemon({ intervals: { replayWaitMs: 500 } })
    await daemon.api.create("one")
    for (let i = 0; i < 6; i++) await daemon.api.turn("one", "/stream 6 1000000")
    const wire = new Wire(daemon)
    const headers = { "acp-connection-id": await wire.initialize() }
    const connection = await wire.stream(headers)
    const stuck = paused(daemon, "/v1/rpc", { ...headers, "acp-session-id": "one" })
    await stuck.opened
    const params = { sessionId: "one", cwd: "/tmp", mcpServers: [] }
    await wire.post({ jsonrpc: "2.0", id: 3, method: "session/load", params }, { ...headers, "acp-session-id": "one" })
    await connection.until(({ id }) => id === 3)
    // It had taken nothing yet; once it reads, the history is there.
    expect(stuck.size()).toBeLessThan(1_000)
    await stuck.goOn((all) => all.length > 36_000_000)
    stuck.close()
  },
)

overfill(
  ["plainAnswerMs"],
  "a long turn is answered with headers at once and white space before the answer",
  async () => {
    await using daemon = await startDaemon()
    const wire = new Wire(daemon)
    await wire.initialize()
    await wire.create("one")
    const params = { sessionId: "one", prompt: text("/permission echo yes") }
    const headers = { ...daemon.api.headers, "content-type": "application/json" }
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/prompt", params })
    // Resolves with the headers: the turn waits.
    const response = await fetch(`${daemon.url}/v1/rpc`, { method: "POST", headers, body })
    const { data } = await daemon.api.until("one", "permission.requested")
    await daemon.api.ok("POST", `/v1/sessions/one/permissions/${data.permission_id}/reply`, { reply: "once" })
    const long = await response.text()
    expect(long).toMatch(/^\s+\{/)
    expect(JSON.parse(long)).toMatchObject({ id: 1, result: { stopReason: "end_turn" } })
  },
)

overfill(["itemHeads"], "of more items the head of the oldest is read from its row again", () => {
  const read: string[] = []
  const rows = { item: (_: number, id: string) => void read.push(id) } as unknown as AcpRows
  const heads = new Heads(rows)
  const delta = (id: string) => heads.at(1, { type: "item.delta", data: { item_id: id } } as never)
  for (let n = 0; n <= acpLimits.itemHeads; n++) {
    const item = { item_id: `${n}`, kind: "message", role: "assistant", status: "in_progress", content: [] }
    heads.at(1, { type: "item.started", data: { item } } as never)
  }
  delta("1")
  expect(read).toEqual([])
  delta("0")
  expect(read).toEqual(["0"])
})

overfill(["chunkForms", "chunkFormChars"], "chunks of more forms, or with more around their text, are parsed", () => {
  const line = (form: number, around = "") =>
    `{"params":{"update":{"content":{"text":"hello"},"messageId":"m${form}${around}"}},"method":"session/update"}`
  const json = eventText({
    ...{ uid: 1, sequence: 1, time: "t", session: sessionFields("s", undefined), byAgent: true, type: "item.delta" },
    data: deltaData(deltaHead("i", "k"), "hello", { index: 0, type: "text" }, false),
  })
  const frames = Buffer.from(frame(1, json))
  const chunks = new PassthroughChunks()
  const isKnown = (raw: string) => {
    const lines = new LineRun(1, 1, Buffer.from(`<${raw}`))
    return chunks.write(frames, 0, 1, { lines, n: 1, pos: 1, sent: false }, new FrameWriter()) === frames.length
  }
  const learn = (raw: string) => chunks.learn(json, 1, raw, raw)
  for (let form = 0; form < acpLimits.chunkForms; form++) learn(line(form))
  expect(isKnown(line(0))).toBe(true)
  learn(line(acpLimits.chunkForms))
  expect([isKnown(line(0)), isKnown(line(1)), isKnown(line(acpLimits.chunkForms))]).toEqual([false, true, true])
  const long = line(0, "x".repeat(acpLimits.chunkFormChars))
  learn(long)
  expect(isKnown(long)).toBe(false)
})

overfill(["bodyAnswers"], "of more answers in bodies the oldest is no longer remembered", () => {
  const inBody = new Set<number>()
  for (let n = 0; n <= acpLimits.bodyAnswers; n++) rememberInBody({ inBody }, n)
  expect([inBody.size, inBody.has(0), inBody.has(1)]).toEqual([acpLimits.bodyAnswers, false, true])
})
