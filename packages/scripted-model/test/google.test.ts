import { expect, test } from "vitest"
import type { JsonObject } from "../src/json.ts"
import { toolResults } from "../src/request.ts"
import { error, reply, text, thinking, toolCall, usage } from "../src/script.ts"
import { startScriptedModel } from "../src/scripted-model.ts"
import { post, stream } from "./client.ts"

const body = (said: string, ...more: JsonObject[]): JsonObject => ({
  systemInstruction: { parts: [{ text: "Be brief." }] },
  contents: [{ role: "user", parts: [{ text: said }] }, ...more],
  tools: [{ functionDeclarations: [{ name: "run_shell_command" }] }],
  generationConfig: { maxOutputTokens: 1000 },
})
const address = (url: string, way = "streamGenerateContent") => `${url}/v1beta/models/gemini-x:${way}?alt=sse`

const partsOf = ({ data }: { data: object }) =>
  (data as { candidates: { content: { parts: object[] } }[] }).candidates[0]?.content.parts

test("thinking, text and a whole call, then finish and usage", async () => {
  await using model = await startScriptedModel({
    script: [
      reply(
        thinking("hm"),
        text(["Hello ", "world"]),
        toolCall("run_shell_command", { command: "ls" }, { id: "c1", chunkSize: 3 }),
        usage({ input: 100, cached: 40, output: 20, reasoning: 5 }),
      ),
    ],
  })
  const { events } = await stream(address(model.url), body("hi"))
  expect(events.map(partsOf)).toEqual([
    [{ text: "hm", thought: true }],
    [{ text: "Hello " }],
    [{ text: "world" }],
    [{ functionCall: { id: "c1", name: "run_shell_command", args: { command: "ls" } } }],
    [{ text: "" }],
  ])
  expect(events.at(-1)?.data).toMatchObject({
    modelVersion: "gemini-x",
    candidates: [{ finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 15, thoughtsTokenCount: 5, totalTokenCount: 120 },
  })
})

test("the request is read: model of the address, system, tools, results, pictures", async () => {
  await using model = await startScriptedModel({ script: ["fine"] })
  const call = { role: "model", parts: [{ functionCall: { id: "c1", name: "run_shell_command", args: { a: 1 } } }] }
  const response = { functionResponse: { id: "c1", name: "run_shell_command", response: { output: "out" } } }
  const picture = { inlineData: { mimeType: "image/png", data: "AAAA" } }
  const answer = await post(
    address(model.url, "generateContent"),
    body("hi", call, { role: "user", parts: [response, picture] }),
  )
  expect(await answer.json()).toMatchObject({ candidates: [{ content: { parts: [{ text: "fine" }] } }] })
  const [request] = model.requests
  expect(request).toMatchObject({ model: "gemini-x", system: "Be brief.", tools: ["run_shell_command"], stream: false })
  expect(request && toolResults(request)).toMatchObject([{ name: "run_shell_command", text: "out", isError: false }])
  expect(request?.messages.flatMap(({ images }) => images)).toMatchObject([{ mediaType: "image/png" }])
  model.assertDone()
})

test("errors have Google's shape", async () => {
  await using model = await startScriptedModel({ script: [error(429, "slow down")] })
  const answer = await post(address(model.url), body("hi"))
  expect(answer.status).toBe(429)
  expect(await answer.json()).toEqual({
    error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED" },
  })
})
