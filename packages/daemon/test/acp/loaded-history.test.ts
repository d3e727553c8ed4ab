import { rmSync } from "node:fs"
import { join } from "node:path"
import { rounds } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { scratch, type TestDaemon } from "../harness/daemon.ts"
import { LinesClient, program, startWith } from "./lines.ts"
import { type Json, type Message, Wire, type WireStream } from "./wire.ts"

interface Stage extends AsyncDisposable {
  daemon: TestDaemon
  client: LinesClient
}

async function begin(options: Parameters<typeof startWith>[2] = {}): Promise<Stage> {
  const directory = scratch()
  const file = join(directory, "lines")
  const daemon = await startWith("lines", program("lines-agent.ts", file), options)
  const client = await LinesClient.connect(daemon, file)
  await client.begin()
  return {
    ...{ daemon, client },
    async [Symbol.asyncDispose]() {
      await daemon.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const isAnswer = ({ id, method }: Message) => id === 4 && method === undefined

/** Another client that loads the session. */
async function load(
  { daemon, client: { sessionId } }: Stage,
  by = "load",
): Promise<{ wire: Wire; stream: WireStream }> {
  const wire = new Wire(daemon, `/v1/acp/${crypto.randomUUID()}`)
  const stream = await wire.stream()
  await wire.initialize({}, "lines")
  await wire.ask(`session/${by}`, { sessionId, cwd: "/tmp", mcpServers: [] }, 4)
  await stream.until(isAnswer)
  return { wire, stream }
}

const updateIn = ({ params }: Message) => (params?.update ?? {}) as Json
/** What is no answer, and no state that follows the history. */
const toldIn = (messages: readonly Message[]) =>
  messages.filter(
    (message) => message.method !== undefined && updateIn(message).sessionUpdate !== "config_option_update",
  )

test("a history is told in the agent's own messages, those of the live stream", async () => {
  await using stage = await begin()
  const { client } = stage
  await client.prompt("talk")
  await client.nth("_vendor/note")
  const { stream } = await load(stage)
  const live = toldIn(client.messages)
  expect(live.length).toBeGreaterThan(7)
  const history = toldIn(stream.messages)
  expect(history).toEqual(live)
  expect(history.map((message) => updateIn(message).messageId)).toContain("m1")
}, 120_000)

test("who resumes a session is told its state in the agent's own messages", async () => {
  await using stage = await begin()
  const { client } = stage
  await client.prompt("talk")
  await client.nth("_vendor/note")
  const { stream } = await load(stage, "resume")
  const [plan] = client.messages.filter((message) => updateIn(message).sessionUpdate === "plan")
  expect(updateIn(plan as Message)).toMatchObject({ entries: [{ _meta: { n: 100 } }] })
  await stream.until((message) => updateIn(message).sessionUpdate === "plan")
  expect(stream.messages).toContainEqual(plan)
}, 120_000)

test("nobody is asked again, and a call that only its request told of stands in the history", async () => {
  await using stage = await begin()
  const { client } = stage
  const prompted = client.prompt("unannounced")
  const asked = await client.nth("session/request_permission")
  const outcome = { outcome: { outcome: "selected", optionId: "1-allow_once" } }
  await client.answer(asked.id, outcome)
  await prompted
  await client.prompt("louder")
  const { stream } = await load(stage)
  expect(stream.messages.filter(({ id, method }) => id !== undefined && method !== undefined)).toEqual([])
  expect(stream.messages.filter(({ method }) => method === "$/cancel_request")).toEqual([])
  expect(
    toldIn(stream.messages)
      .map(updateIn)
      .filter(({ toolCallId }) => toolCallId === "t1"),
  ).toEqual([
    { sessionUpdate: "tool_call_update", ...(asked.params?.toolCall as Json) },
    updateIn(client.messages.find((message) => updateIn(message).status === "completed") as Message),
  ])
  expect(stream.messages.map((message) => updateIn(message).sessionUpdate)).not.toContain("config_option_update")
}, 120_000)

test("chunks that differ in their words alone are one, and one that is cut off goes on where it was", async () => {
  await using stage = await begin()
  for (let n = 0; n < 5; n++) await stage.client.prompt("words")
  const { wire, stream } = await load(stage)
  const chunk = (messageId: string, words: string, n: number) => ({
    ...{ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text: words }, n },
  })
  const isChunk = ({ sessionUpdate }: Json) => sessionUpdate === "agent_message_chunk"
  const turn = [chunk("a", 'one two "x" café', 1), chunk("b", "fourfive", 1), chunk("b", "six", 2)]
  expect(stream.messages.map(updateIn).filter(isChunk)).toEqual(Array(5).fill(turn).flat())
  await stream.cut()
  for (const [at, { id }] of stream.received.entries()) {
    const again = await wire.stream({ "last-event-id": id })
    if (at < stream.received.length - 1) await again.until(isAnswer)
    expect(again.received).toEqual(stream.received.slice(at + 1))
    await again.cut()
  }
}, 120_000)

test("one that is cut off goes on where it was, however long the history", async () => {
  await using stage = await begin()
  const count = rounds(200, 101_000)
  await stage.client.prompt(`many:${count}`)
  const { wire, stream } = await load(stage)
  const chunks = stream.received.filter(({ message }) => updateIn(message).sessionUpdate === "agent_message_chunk")
  expect(chunks).toHaveLength(count)
  await stream.cut()
  const again = await wire.stream({ "last-event-id": chunks.at(-2)?.id ?? "" })
  await again.until(isAnswer)
  expect(again.received).toEqual(stream.received.slice(stream.received.indexOf(chunks.at(-1) as never)))
  await again.cut()
}, 240_000)

test("what the log no longer has is told from the items, and what it has in the agent's messages", async () => {
  await using stage = await begin({ flags: ["--retention-bytes", "60000"], intervals: { tidyMs: 200 } })
  const { client, daemon } = stage
  const first = async () => (await daemon.api.session(client.sessionId)).firstSequence
  for (let n = 0; n < 30; n++) await client.prompt("words")
  await expect.poll(first).toBeGreaterThan(1)
  const { stream } = await load(stage)
  const said = stream.messages.map(updateIn).filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
  const words = said.map(({ content }) => (content as Json).text).join("")
  expect(words).toBe('one two "x" caféfourfivesix'.repeat(30))
  expect(said[0]?.messageId).toMatch(/^item_/)
  expect(said.at(-1)).toMatchObject({ messageId: "b", n: 2 })
}, 120_000)
