import { expect, test } from "vitest"
import { reply, stop, text, thinking, toolCall, usage } from "../src/script.ts"
import { startScriptedModel } from "../src/scripted-model.ts"
import { chatBody, post, type SseEvent, stream } from "./client.ts"

function deltas(events: SseEvent[]): unknown[] {
  return events.flatMap(
    ({ data }) => (data.choices as { delta: unknown }[] | undefined)?.map(({ delta }) => delta) ?? [],
  )
}

test("a text turn: role, content, finish, usage, [DONE]", async () => {
  await using model = await startScriptedModel({
    script: [reply(text(["Hello ", "world"]), usage({ input: 100, cached: 40, output: 20, reasoning: 5 }))],
  })
  const { events, text: body } = await stream(`${model.url}/v1/chat/completions`, chatBody("hi"))
  expect(events.every(({ event }) => event === undefined)).toBe(true)
  expect(deltas(events)).toEqual([{ role: "assistant", content: "" }, { content: "Hello " }, { content: "world" }, {}])
  expect(events[0]?.data).toMatchObject({ object: "chat.completion.chunk", model: "fake-1" })
  expect(events[3]?.data.choices).toMatchObject([{ index: 0, finish_reason: "stop" }])
  expect(events[4]?.data).toMatchObject({
    choices: [],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
  })
  expect(body.endsWith("data: [DONE]\n\n")).toBe(true)
})

test("usage is sent only when asked for", async () => {
  await using model = await startScriptedModel({ script: ["hi"] })
  const { events } = await stream(`${model.url}/v1/chat/completions`, chatBody("hi", { stream_options: {} }))
  expect(events.some(({ data }) => data.usage !== undefined)).toBe(false)
})

test("reasoning and parallel tool calls", async () => {
  await using model = await startScriptedModel({
    script: [
      reply(
        thinking("hm"),
        toolCall("bash", { command: "ls" }, { id: "call_1" }),
        toolCall("read", { path: "x" }, { id: "call_2" }),
      ),
    ],
  })
  const { events } = await stream(`${model.url}/chat/completions`, chatBody("hi"))
  expect(deltas(events)).toEqual([
    { role: "assistant", content: "" },
    { reasoning_content: "hm" },
    { tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "bash", arguments: "" } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"command":"ls"}' } }] },
    { tool_calls: [{ index: 1, id: "call_2", type: "function", function: { name: "read", arguments: "" } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{"path":"x"}' } }] },
    {},
  ])
  expect(events.at(-3)?.data.choices).toMatchObject([{ finish_reason: "tool_calls" }])
})

test("a request without stream gets one completion", async () => {
  await using model = await startScriptedModel({
    script: [
      reply(thinking("hm"), "Hello", toolCall("bash", { command: "ls" }, { id: "call_1" })),
      reply(stop("max_tokens")),
    ],
  })
  const first = await post(`${model.url}/v1/chat/completions`, chatBody("hi", { stream: false }))
  expect(await first.json()).toMatchObject({
    object: "chat.completion",
    choices: [
      {
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: "Hello",
          reasoning_content: "hm",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }],
        },
      },
    ],
    usage: { total_tokens: 120 },
  })
  const second = await post(`${model.url}/v1/chat/completions`, chatBody("hi", { stream: false }))
  expect(await second.json()).toMatchObject({ choices: [{ finish_reason: "length", message: { content: null } }] })
})
