import { rmSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { LinesClient, program, startWith } from "./lines.ts"
import type { Json, Message } from "./wire.ts"

const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png", uri: "file:///u.png", _meta: { m: 1 } }
const audio = { type: "audio", annotations: { audience: ["user"] }, mimeType: "audio/wav", data: "AAAA" }
const link = { type: "resource_link", uri: "file:///tmp/lib.py", name: "lib", title: "T", size: 5 }
const picture = { type: "resource_link", uri: "file:///tmp/no-such.svg", name: "drawing" }
const words = { type: "resource", resource: { uri: "file:///x", text: "embedded", mimeType: "text/plain", _meta: {} } }
const bytes = { type: "resource", resource: { uri: "file:///b.bin", blob: "AAEC" }, annotations: { priority: 0.5 } }
const text = (said: unknown, more: object = {}) => ({ type: "text", text: said, ...more })

interface Stage extends AsyncDisposable {
  daemon: TestDaemon
  file: string
  client: LinesClient
  prompt(blocks: object[], more?: object): Promise<Message>
  /** What the agent was asked, without what was asked of agents before it. */
  prompts(): Json[]
}

async function begin(capabilities: object): Promise<Stage> {
  const directory = scratch()
  const file = join(directory, "lines")
  const daemon = await startWith("lines", program("lines-agent.ts", file, JSON.stringify(capabilities)))
  const client = await LinesClient.connect(daemon, file)
  await client.begin()
  return {
    ...{ daemon, file, client },
    prompt: (blocks, more = {}) =>
      client.wire.ask("session/prompt", { sessionId: client.sessionId, prompt: blocks, ...more }),
    prompts: () =>
      client
        .lines(">")
        .map((line) => JSON.parse(line) as Message)
        .flatMap(({ method, params }) => (method === "session/prompt" && params !== undefined ? [params] : [])),
    async [Symbol.asyncDispose]() {
      await daemon.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const all = { promptCapabilities: { image: true, audio: true, embeddedContext: true } }

test("a prompt reaches an agent that takes all of it as its client sent it", async () => {
  await using stage = await begin(all)
  const prompts: [object[], object?][] = [
    [[text("before"), image, text("after")]],
    [[audio]],
    [[text("see "), link, picture, words, bytes]],
    [[text("a", { annotations: { audience: ["user"] }, _meta: { a: null } }), text("b")]],
    [[text("hi")], { _meta: { traceparent: "00-1" }, messageId: "mine" }],
    [[text("alone")]],
  ]
  for (const [blocks, more] of prompts) expect((await stage.prompt(blocks, more)).result).toBeDefined()
  expect(stage.prompts()).toEqual(prompts.map(([blocks, more]) => ({ sessionId: "native-1", prompt: blocks, ...more })))
}, 120_000)

test("one that waits while the daemon is killed is sent as it was by the next, behind the brief", async () => {
  await using stage = await begin(all)
  const { client, daemon } = stage
  const blocks = [text("before"), image, audio, text("after", { _meta: { n: 1.5 } }), link, words, bytes]
  const post = (id: number, prompt: object[], more = {}) =>
    client.wire.post(
      { jsonrpc: "2.0", id, method: "session/prompt", params: { sessionId: client.sessionId, prompt, ...more } },
      { prefer: "respond-async" },
    )
  await post(1, [text("hold")])
  await daemon.api.until(client.sessionId, "message.updated", ({ data }) => data.state === "taken")
  expect((await post(2, blocks, { _meta: { traceparent: "00-2" } })).status).toBe(202)
  await daemon.api.until(client.sessionId, "message.updated", ({ data }) => data.position === 1)
  daemon.kill("SIGKILL")
  await daemon.exited
  await using next = await startDaemon({ dataDir: daemon.dataDir })
  const ended = ({ data }: { data: Json }) => data.stop_reason === "end_turn"
  await next.api.until(client.sessionId, "turn.ended", ended as never)
  const [, prompt] = stage.prompts()
  expect(prompt).toMatchObject({ _meta: { traceparent: "00-2" } })
  expect(prompt?.prompt).toEqual([text(expect.stringContaining("<session-brief>")), ...blocks])
}, 120_000)

test("what the agent does not take is named where it stood, and the rest stays as it was", async () => {
  await using stage = await begin({})
  await stage.prompt([text("one"), image, link, words, audio, text("two", { _meta: { a: 1 } }), bytes])
  const [prompt] = stage.prompts()
  const file = (ending: string) => ({
    type: "resource_link",
    uri: expect.stringMatching(`^${pathToFileURL(stage.daemon.dataDir).href}.*${ending}$`),
  })
  expect(prompt?.prompt).toMatchObject([
    text("one"),
    { ...file("u.png"), mimeType: "image/png" },
    link,
    text("[@x](file:///x)"),
    { ...file(".wav"), mimeType: "audio/wav" },
    text("two", { _meta: { a: 1 } }),
    file("b.bin"),
    text('<context ref="file:///x">\nembedded\n</context>'),
  ])
}, 120_000)

test("`initialize` says that an agent takes sounds once it has said so", async () => {
  await using stage = await begin(all)
  const taken = async () => {
    const params = { protocolVersion: 1, _meta: { "sandboxagent.dev": { agent: "lines" } } }
    const { result } = await stage.client.wire.ask("initialize", params)
    return result?.agentCapabilities
  }
  expect(await taken()).toMatchObject({ promptCapabilities: { image: true, audio: true, embeddedContext: true } })
  const { result } = await stage.client.wire.ask("initialize", { protocolVersion: 1 })
  expect(result?.agentCapabilities).toMatchObject({ promptCapabilities: { audio: false } })
}, 120_000)
