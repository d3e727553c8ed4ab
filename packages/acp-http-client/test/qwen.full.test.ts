import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import type { AnswerFunction } from "@sandbox-agent/scripted-model/part"
import { lastUserText, toolResults } from "@sandbox-agent/scripted-model/request"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { afterAll, beforeAll, expect, test } from "vitest"
import { AcpHttpClient, type AcpHttpClientOptions } from "../src/acp-http-client.ts"
import { insist, promptOf, textOf } from "./reading.ts"
import { qwenProgram } from "./servers/npm-program.ts"
import { type ServerProcess, startProcess } from "./servers/process.ts"
import { type Line, startProxy } from "./servers/proxy.ts"

/** `qwen serve`: the official transport of another implementation, with event ids on updates and none on answers. */
const home = realpathSync(mkdtempSync(join(tmpdir(), "acp-qwen-")))
let model: Awaited<ReturnType<typeof startScriptedModel>>
let qwen: ServerProcess
let line: Line

beforeAll(async () => {
  const program = qwenProgram()
  // It also asks for titles and summaries: each question is answered by what it asks, not by its turn.
  const touch = { command: "touch made-by-qwen", description: "touch", is_background: false }
  const respond: AnswerFunction = (request) => {
    const word = /question-(\w+)/.exec(lastUserText(request))?.[1]
    if (word === "two" && toolResults(request).length === 0) return reply(toolCall("run_shell_command", touch))
    return `answer-${word}`
  }
  model = await startScriptedModel({ script: Array.from({ length: 50 }, () => respond) })
  // It gives its own child ten seconds, which a busy machine may not have.
  const patient = ["--initialize-timeout-ms", "120000"]
  const flags = ["--port", "0", "--no-web", "--workspace", home, ...patient]
  qwen = await startProcess([process.execPath, program, "serve", ...flags], {
    cwd: home,
    env: {
      HOME: home,
      OPENAI_BASE_URL: `${model.url}/v1`,
      OPENAI_API_KEY: "dummy",
      OPENAI_MODEL: "scripted",
      QWEN_TELEMETRY_ENABLED: "false",
    },
    says: /(http:\/\/127\.0\.0\.1:\d+)/,
  })
  line = await startProxy(new URL("/acp", qwen.url).href)
}, 300_000)

afterAll(async () => {
  line?.stop()
  await qwen?.stop("SIGTERM")
  await model?.[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

/** It takes no other Host than its own, and the line has another port. */
const headers = () => ({ host: new URL(qwen.url).host })
const limits = { reconnectMinMs: 10, reconnectMaxMs: 200, lostAnswerMs: 20_000 }

test("turns, a permission, and a stream that breaks", async () => {
  const asked: string[] = []
  const handlers: AcpHttpClientOptions["handlers"] = {
    "session/request_permission": ({ options, toolCall: call }) => {
      asked.push(call.toolCallId)
      const optionId = options.find(({ kind }) => kind === "allow_once")?.optionId ?? ""
      return { outcome: { outcome: "selected", optionId } }
    },
  }
  const client = new AcpHttpClient({ url: line.url, headers, handlers, limits })
  const { protocolVersion } = await client.initialize({
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false } },
  })
  expect(protocolVersion).toBe(1)
  const { sessionId } = await client.newSession({ cwd: home, mcpServers: [] })
  await client.setSessionMode({ sessionId, modeId: "default" })
  let said = ""
  const reading = (async () => {
    for await (const update of client.updates(sessionId)) said += textOf(update)
  })()
  expect(await client.prompt(promptOf(sessionId, "question-one"))).toMatchObject({ stopReason: "end_turn" })
  // Read by the loop above, which may be behind the answer.
  await expect.poll(() => said).toContain("answer-one")
  expect(await client.prompt(promptOf(sessionId, "question-two"))).toMatchObject({ stopReason: "end_turn" })
  expect(asked).toHaveLength(1)
  line.cutAll()
  await insist(() => client.prompt(promptOf(sessionId, "question-three")))
  await expect.poll(() => said).toContain("answer-three")
  // What was heard before the break is not heard again.
  expect(said.split("answer-one")).toHaveLength(2)
  await client.close()
  await reading
}, 120_000)

test("an unknown session is an error of the agent or a status, never silence", async () => {
  const client = new AcpHttpClient({ url: line.url, headers, limits })
  await client.initialize()
  await expect(client.prompt(promptOf("none", "one"))).rejects.toMatchObject({
    kind: expect.stringMatching(/http|rpc/),
  })
  await client.close()
}, 120_000)
