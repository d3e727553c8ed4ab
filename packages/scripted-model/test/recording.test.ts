import { expect, test } from "vitest"
import type { JsonObject } from "../src/json.ts"
import { LIMITS } from "../src/limits.ts"
import { lastUserText, type ModelRequest, toolResults } from "../src/request.ts"
import { startScriptedModel } from "../src/scripted-model.ts"
import { always } from "../src/step.ts"
import { anthropicBody, post, stream } from "./client.ts"

const PNG = "iVBORw0KGgo="

async function record(path: string, body: JsonObject, headers: Record<string, string> = {}): Promise<ModelRequest> {
  await using model = await startScriptedModel({ script: ["ok"] })
  await stream(`${model.url}${path}`, body, headers)
  const request = model.requests[0]
  if (request === undefined) throw new Error("nothing was recorded")
  return request
}

function expectConversation(request: ModelRequest): void {
  expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"])
  expect(request.messages[0]).toMatchObject({ text: "look", images: [{ mediaType: "image/png", data: PNG }] })
  expect(request.messages[1]).toMatchObject({
    text: "I look",
    toolCalls: [
      { id: "t1", name: "bash", input: { command: "ls" } },
      { id: "t2", name: "read", input: { path: "x" } },
    ],
  })
  expect(toolResults(request)).toMatchObject([
    { id: "t1", name: "bash", text: "a\nb" },
    { id: "t2", name: "read", text: "gone" },
  ])
  expect(lastUserText(request)).toBe("look")
  expect(request).toMatchObject({
    model: "m",
    system: "Be brief",
    tools: ["bash", "read"],
    effort: "high",
    stream: true,
  })
}

test("Anthropic Messages", async () => {
  const request = await record("/v1/messages?beta=true", {
    model: "m",
    max_tokens: 9,
    stream: true,
    system: [{ type: "text", text: "Be brief" }],
    thinking: { type: "adaptive" },
    output_config: { effort: "high" },
    tools: [{ name: "bash" }, { name: "read" }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "text", text: "I look" },
          { type: "tool_use", id: "t1", name: "bash", input: { command: "ls" } },
          { type: "tool_use", id: "t2", name: "read", input: { path: "x" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "a\nb" }] },
          { type: "tool_result", tool_use_id: "t2", content: "gone", is_error: true },
        ],
      },
    ],
  })
  expectConversation(request)
  expect(request).toMatchObject({
    dialect: "anthropic-messages",
    path: "/v1/messages",
    query: "beta=true",
    maxTokens: 9,
  })
  expect(request.thinking).toEqual({ type: "adaptive" })
  expect(toolResults(request).map(({ isError }) => isError)).toEqual([false, true])
})

test("OpenAI Responses", async () => {
  const request = await record("/v1/responses", {
    model: "m",
    stream: true,
    reasoning: { effort: "high", summary: "auto" },
    tools: [
      { type: "function", name: "bash" },
      { type: "custom", name: "read" },
    ],
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief" }] },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "look" },
          { type: "input_image", image_url: `data:image/png;base64,${PNG}` },
        ],
      },
      { type: "reasoning", id: "rs_1", summary: [] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look" }] },
      { type: "function_call", call_id: "t1", name: "bash", arguments: '{"command":"ls"}' },
      { type: "function_call", call_id: "t2", name: "read", arguments: '{"path":"x"}' },
      { type: "function_call_output", call_id: "t1", output: "a\nb" },
      { type: "custom_tool_call_output", call_id: "t2", output: [{ type: "input_text", text: "gone" }] },
    ],
  })
  expectConversation({ ...request, messages: request.messages.filter(({ role }) => role !== "system") })
  expect(request.thinking).toEqual({ effort: "high", summary: "auto" })
})

test("OpenAI Chat Completions", async () => {
  const call = (id: string, name: string, input: string) => ({
    id,
    type: "function",
    function: { name, arguments: input },
  })
  const request = await record("/chat/completions", {
    model: "m",
    stream: true,
    max_completion_tokens: 9,
    reasoning_effort: "high",
    tools: [
      { type: "function", function: { name: "bash" } },
      { type: "function", function: { name: "read" } },
    ],
    messages: [
      { role: "developer", content: "Be brief" },
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
      {
        role: "assistant",
        content: "I look",
        tool_calls: [call("t1", "bash", '{"command":"ls"}'), call("t2", "read", '{"path":"x"}')],
      },
      { role: "tool", tool_call_id: "t1", content: "a\nb" },
      { role: "tool", tool_call_id: "t2", content: "gone" },
    ],
  })
  expectConversation({ ...request, messages: request.messages.filter(({ role }) => role !== "system") })
})

test("secrets are redacted, the rest of the headers kept", async () => {
  const headers = { authorization: "Bearer sk-secret", "x-api-key": "sk-other", "x-app": "cli" }
  const request = await record("/v1/messages", anthropicBody("x"), headers)
  expect(request.headers).toMatchObject({
    authorization: "Bearer [redacted]",
    "x-api-key": "[redacted]",
    "x-app": "cli",
  })
  expect(JSON.stringify(request)).not.toMatch(/sk-secret|sk-other/)
})

test("what agents add to user messages is not what the user typed", async () => {
  const messages = [
    {
      role: "user",
      content: [
        { type: "text", text: "<system-reminder>\nrules</system-reminder>" },
        { type: "text", text: "Say hello" },
      ],
    },
    { role: "system", content: "# Environment" },
    { role: "user", content: [{ type: "text", text: "<environment_context>\n</environment_context>" }] },
  ]
  const request = await record("/v1/messages", anthropicBody("", { messages }))
  expect(lastUserText(request)).toBe("Say hello")
  expect(request.messages[1]).toMatchObject({ role: "system", text: "# Environment" })
})

test("a body beyond the limit is refused, and recordings beyond theirs drop the oldest", async () => {
  await using model = await startScriptedModel({ script: [always("ok")] })
  const before = { ...LIMITS }
  try {
    LIMITS.bodyBytes = 1000
    LIMITS.recordedRequests = 3
    const large = await post(`${model.url}/v1/messages`, anthropicBody("x".repeat(2000)))
    expect(large.status).toBe(413)
    for (let at = 0; at < 5; at += 1) await stream(`${model.url}/v1/messages`, anthropicBody(`ask ${at}`))
    expect(model.requests.map(lastUserText)).toEqual(["ask 2", "ask 3", "ask 4"])
  } finally {
    Object.assign(LIMITS, before)
  }
})
