import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { scratch, type TestDaemon } from "../harness/daemon.ts"
import { LinesClient, program, startWith } from "./lines.ts"
import { type Json, type Message, text, Wire } from "./wire.ts"

const forms = { elicitation: { form: {}, url: {} }, session: { compaction: {} } }
const directory = scratch()
const file = join(directory, "lines")
let daemon: TestDaemon
beforeAll(async () => {
  const entry = { _meta: { "sandboxagent.dev": { options: ["style", "mode", "loud"] } } }
  daemon = await startWith("lines", program("lines-agent.ts", file), { entry })
}, 120_000)
afterAll(async () => {
  await daemon.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** Each test has an agent of its own, and a file that begins with it. */
async function connect(capabilities: Json = forms): Promise<LinesClient> {
  rmSync(file, { force: true })
  return LinesClient.connect(daemon, file, capabilities)
}

/** Notes and echoes of ours: everything else that is no answer must be the agent's. */
function isOurs({ method, params }: Message): boolean {
  const update = params?.update as Json | undefined
  if (method === undefined || method === "$/cancel_request") return true
  return (
    update?.sessionUpdate === "user_message_chunk" ||
    Object.keys((update?._meta as Json) ?? {}).join() === "sandboxagent.dev"
  )
}

/** Lines of the agent with the ids its client knows: all that may differ. */
function withIdsOf(client: LinesClient): string[] {
  const ids = client.messages.filter(({ id, method }) => id !== undefined && method !== undefined).map(({ id }) => id)
  return client.written.map((line) => {
    const { id } = JSON.parse(line) as Message
    return id === undefined ? line : line.replace(`"id":${JSON.stringify(id)}`, `"id":${JSON.stringify(ids.shift())}`)
  })
}

const passed = (client: LinesClient): string[] => client.texts.filter((line) => !isOurs(JSON.parse(line) as Message))

const select = (optionId: string, more: Json = {}) => ({ outcome: { outcome: "selected", optionId }, ...more })

/** What the agent read as the answer to its request of this id. */
const answered = (client: LinesClient, id: unknown): unknown =>
  client
    .lines(">")
    .map((line) => JSON.parse(line) as Message)
    .find((line) => line.id === id && line.method === undefined)?.result

test("what the agent says and asks reaches its client byte for byte, apart from ids, and the answers reach the agent", async () => {
  const client = await connect()
  await client.begin()
  const prompted = client.prompt("talk announced form address compact")
  const outcome = select("2-allow_once", { _meta: { mine: 1 } })
  await client.answer((await client.nth("session/request_permission")).id, outcome)
  const form = { action: "accept", content: { colour: "b", colour_note: "navy" }, _meta: { mine: 2 } }
  await client.answer((await client.nth("elicitation/create")).id, form)
  await client.answer((await client.nth("elicitation/create", 2)).id, { action: "accept" })
  expect((await prompted).result).toMatchObject({ stopReason: "end_turn" })
  await client.nth("elicitation/complete")
  await client.until(() => passed(client).length >= client.written.length)
  expect(passed(client)).toEqual(withIdsOf(client))
  expect(client.written).toHaveLength(17)
  expect([answered(client, 0), answered(client, 7), answered(client, 8)]).toEqual([outcome, form, { action: "accept" }])
  const events = await daemon.api.events(client.sessionId)
  const resolved = events.filter(({ type }) => type.endsWith(".resolved")).map(({ data }) => data as Json)
  expect(resolved).toMatchObject([
    { status: "accept", by: "client" },
    { status: "answered", answers: [["Blue", "navy"]] },
    { status: "answered", answers: [["Accept"]] },
  ])
}, 120_000)

test("its answer to a prompt is passed on with what the daemon knows of the turn", async () => {
  const client = await connect()
  await client.begin()
  const { result } = await client.prompt("talk")
  expect(result).toMatchObject({
    stopReason: "end_turn",
    usage: { totalTokens: 3, inputTokens: 1, outputTokens: 2 },
    _meta: { mine: 9, "sandboxagent.dev": { turnId: expect.any(String) } },
  })
}, 120_000)

test("a call that is first told with its request is told by it alone; always is a rule of ours, and the agent gets its option for once", async () => {
  const client = await connect()
  await client.begin()
  const prompted = client.prompt("unannounced")
  await client.answer((await client.nth("session/request_permission")).id, select("0-allow_always"))
  await prompted
  expect(client.updates("tool_call")).toEqual([])
  expect(answered(client, "of mine")).toEqual(select("1-allow_once"))
  // Nobody is asked again; the client learns of the call as the agent told it.
  await client.prompt("unannounced")
  await client.until(() => client.updates("tool_call_update").length >= 2)
  expect(client.messages.filter(({ method }) => method === "session/request_permission")).toHaveLength(1)
  const [, again] = client.updates("tool_call_update")
  expect(again).toEqual({
    ...{ sessionUpdate: "tool_call_update", toolCallId: "t1", title: "Do it", kind: "execute" },
    ...{ rawInput: { n: 1.5, big: Number("12345678901234567890") }, _meta: { mine: 3 } },
  })
  const events = await daemon.api.events(client.sessionId)
  expect(events.filter(({ type }) => type === "permission.resolved").map(({ data }) => data)).toMatchObject([
    { status: "accept_for_session", by: "client" },
    { status: "accept", by: "rule" },
  ])
}, 120_000)

test("REST sees our projection and may answer first; whoever attaches is asked as the agent asked, and told that it is over", async () => {
  const client = await connect()
  await client.begin()
  const { sessionId } = client
  const prompted = client.prompt("announced")
  const asked = await client.nth("session/request_permission")
  const other = await LinesClient.connect(daemon, file, forms)
  other.sessionId = sessionId
  await other.wire.ask("session/resume", { sessionId, cwd: "/tmp", mcpServers: [] })
  const again = await other.nth("session/request_permission")
  expect(again).toEqual(asked)
  const wrong = await other.answer(again.id, select("allow_once"))
  expect(wrong.body.error).toMatchObject({ code: -32602, message: expect.stringContaining("0-allow_always, 1-allow") })
  const { permissions } = await daemon.api.ok<{ permissions: Json[] }>("GET", `/v1/sessions/${sessionId}/pending`)
  expect(permissions).toMatchObject([{ permission_id: asked.id, choices: ["once", "always", "reject"], call_id: "t1" }])
  await daemon.api.ok("POST", `/v1/sessions/${sessionId}/permissions/${asked.id}/reply`, { reply: "reject" })
  await prompted
  expect(answered(client, 0)).toEqual(select("3-reject_once"))
  for (const one of [client, other]) expect((await one.nth("$/cancel_request")).params).toEqual({ requestId: asked.id })
  const late = await client.answer(asked.id, select("1-allow_once"))
  expect(late.body.error).toMatchObject({ data: { code: "conflict" } })
}, 120_000)

test("a client without forms is asked in choices, and the agent gets its form all the same", async () => {
  const client = await connect({})
  await client.begin()
  const prompted = client.prompt("form")
  const { id, params } = await client.nth("session/request_permission")
  const offered = params?.options as Json[] | undefined
  const blue = offered?.find(({ name }) => name === "Blue")
  await client.answer(id, select(String(blue?.optionId)))
  await prompted
  expect(answered(client, 7)).toEqual({ action: "accept", content: { colour: "b" } })
}, 120_000)

test("requests that are none of the protocol's are answered by a client that can; where none can, the agent is told so", async () => {
  const client = await connect()
  await client.begin()
  const asked = async (n: number, answer: Json) => {
    const prompted = client.prompt("extension")
    const { id } = await client.nth("_vendor/ask", n)
    await client.wire.post({ jsonrpc: "2.0", id, ...answer })
    await prompted
    await client.until(() => client.updates("agent_message_chunk").length >= n)
    return client.updates("agent_message_chunk").at(-1)?.content as { text: string }
  }
  const result = { nice: [1, { deep: true }], _meta: { mine: 1 } }
  expect(JSON.parse((await asked(1, { result })).text)).toEqual({ jsonrpc: "2.0", id: 9, result })
  expect(passed(client)[0]).toBe(withIdsOf(client)[0])
  const error = { code: -32601, message: "Not here", data: { of: "mine" } }
  expect(JSON.parse((await asked(2, { error })).text)).toEqual({ jsonrpc: "2.0", id: 9, error })
  // What has no result to tell, some clients do not write.
  for (const [i, nothing] of [{}, { error: null }, { result: null }].entries())
    expect(JSON.parse((await asked(3 + i, nothing)).text)).toEqual({ jsonrpc: "2.0", id: 9, result: null })
  const late = await client.answer((await client.nth("_vendor/ask")).id, {})
  expect(late.body.error).toMatchObject({ data: { code: "conflict" } })
  // With nobody there who speaks the protocol.
  await daemon.api.create("alone", { agent: "lines" })
  const said = (await daemon.api.turn("alone", "extension")).flatMap(({ type, data }) =>
    type === "item.delta" ? (data as { delta: string }).delta : [],
  )
  expect(JSON.parse(said.join(""))).toMatchObject({ error: { code: -32601, message: "Method not found: _vendor/ask" } })
}, 120_000)

interface Option extends Json {
  id: string
  currentValue: unknown
}

test("settings are ours, in the agent's words under our ids; options that only it knows stand behind them", async () => {
  const client = await connect()
  const { result } = await client.begin()
  const options = result?.configOptions as Option[]
  const ids = ["mode", "model", "variant", "permission_mode", "style", "agent_mode", "loud"]
  expect(options.map(({ id }) => id)).toEqual(ids)
  const opened = client
    .lines("<")
    .map((line) => JSON.parse(line) as Message)
    .find(({ result: received }) => received?.sessionId)
  const offered = opened?.result?.configOptions as Option[]
  const names = { brain: "model", effort: "variant", mode: "agent_mode" } as Record<string, string>
  const renamed = offered.map((option) => ({ ...option, id: names[option.id] ?? option.id }))
  expect(options.filter(({ id }) => id !== "mode" && id !== "permission_mode")).toEqual(renamed)
}, 120_000)

test("an option of the agent's own is set under its own id, and every client learns of it", async () => {
  const client = await connect()
  await client.begin()
  const { sessionId } = client
  const set = (configId: string, value: unknown, more: Json = {}) =>
    client.wire.ask("session/set_config_option", { sessionId, configId, value, ...more })
  const currentIn = (received: unknown, id: string) =>
    (received as Option[]).find((option) => option.id === id)?.currentValue
  const changed = await set("style", "florid")
  expect(currentIn(changed.result?.configOptions, "style")).toBe("florid")
  expect(currentIn((await set("agent_mode", "y")).result?.configOptions, "agent_mode")).toBe("y")
  expect(currentIn((await set("loud", true, { type: "boolean" })).result?.configOptions, "loud")).toBe(true)
  const read = client
    .lines(">")
    .map((line) => JSON.parse(line) as Message)
    .filter(({ params }) => params?.configId)
  expect(read.filter(({ params }) => params?.configId !== "brain").map(({ params }) => params)).toEqual([
    { sessionId: "native-1", configId: "style", value: "florid" },
    { sessionId: "native-1", configId: "mode", value: "y" },
    { sessionId: "native-1", configId: "loud", value: true, type: "boolean" },
  ])
  for (const [id, value] of [
    ["style", "loud"],
    ["loud", "yes"],
    ["nothing", "x"],
  ] as const)
    expect((await set(id, value)).error?.code, id).toBe(-32602)
  await client.until(() => client.updates("config_option_update").length >= 3)
  expect(currentIn(client.updates("config_option_update")[2]?.configOptions, "loud")).toBe(true)
}, 120_000)

test("what the agent changes itself is told once, whether it is a setting of ours or not", async () => {
  const client = await connect()
  await client.begin()
  const values = () =>
    client
      .updates("config_option_update")
      .map(({ configOptions }) =>
        (configOptions as Option[])
          .filter(({ id }) => id === "loud" || id === "model")
          .map(({ currentValue }) => currentValue),
      )
  const received: unknown[][] = []
  for (const [scene, ...now] of [
    ["louder", "small", true],
    ["louder", "small", false],
    ["smarter", "large", false],
  ] as const) {
    await client.prompt(scene)
    received.push(now)
    await client.until(() => values().length >= received.length)
  }
  await client.prompt("talk")
  expect(values()).toEqual(received)
  expect(await daemon.api.session(client.sessionId)).toMatchObject({ model: "large" })
}, 120_000)

test("an agent made with the official SDK is passed on as it is: each line once, in its place, also from the log", async () => {
  await using sdk = await startWith("sdk", program("sdk-agent.ts"))
  const wire = new Wire(sdk)
  const stream = await wire.stream()
  await wire.initialize({}, "sdk")
  const created = await wire.ask("session/new", { cwd: "/tmp", mcpServers: [] })
  const sessionId = String(created.result?.sessionId)
  const prompted = wire.ask("session/prompt", { sessionId, prompt: text("go") })
  const asked = await stream.until(({ method }) => method === "session/request_permission")
  expect(asked.params).toMatchObject({ sessionId, toolCall: { toolCallId: "t1" } })
  await wire.post({ jsonrpc: "2.0", id: asked.id, result: select("yes-please") })
  expect((await prompted).result).toMatchObject({ stopReason: "end_turn" })
  await stream.until(({ method }) => method === "_vendor/note")
  const lines = stream.messages.filter(({ params }) => JSON.stringify(params ?? {}).includes('"mine"'))
  expect(lines.map(({ params }) => (params?.update as Json)?._meta)).toEqual([1, 2, 3, 4].map((mine) => ({ mine })))
  expect(lines.at(-1)?.params?.update).toMatchObject({ rawOutput: { outcome: "selected", optionId: "yes-please" } })
  const chunks = stream.messages.flatMap(({ params }) => {
    const update = params?.update as { sessionUpdate?: string; content?: Json } | undefined
    return update?.sessionUpdate?.endsWith("_chunk") ? [[update.sessionUpdate, update.content?.text]] : []
  })
  expect(chunks).toEqual([
    ["user_message_chunk", "go"],
    ["agent_thought_chunk", "hm"],
    ["agent_message_chunk", "hello "],
    ["agent_message_chunk", "there"],
  ])
  const again = await wire.stream({ "last-event-id": stream.received[0]?.id ?? "" })
  await again.until(({ method }) => method === "_vendor/note")
  const until = (received: typeof stream.received) => {
    const end = received.findIndex(({ message }) => message.method === "_vendor/note")
    return received.slice(0, end)
  }
  expect(until(again.received)).toEqual(until(stream.received).slice(1))
}, 120_000)
