import { expect, test } from "vitest"
import { reply, stop, text, thinking, toolCall, usage, words } from "../src/script.ts"
import { startScriptedModel } from "../src/scripted-model.ts"
import { anthropicBody, names, post, stream } from "./client.ts"

test("a text turn has the events Claude Code needs, each named after its type", async () => {
  await using model = await startScriptedModel({ script: [reply(text(words("Hello big world")))] })
  const seen = await stream(`${model.url}/v1/messages?beta=true`, anthropicBody("hi"))
  expect(seen.headers.get("content-type")).toMatch(/^text\/event-stream/)
  expect(seen.headers.get("request-id")).toMatch(/^req_/)
  expect(names(seen.events)).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ])
  for (const { event, data } of seen.events) expect(data.type).toBe(event)
  expect(seen.events[0]?.data.message).toMatchObject({
    id: expect.stringMatching(/^msg_/),
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content: [],
    stop_reason: null,
    usage: { input_tokens: 100, output_tokens: 1 },
  })
  expect(seen.events[1]?.data).toEqual({
    type: "content_block_start",
    index: 0,
    content_block: { type: "text", text: "" },
  })
  expect(seen.events[2]?.data).toEqual({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: "Hello " },
  })
  expect(seen.events.at(-2)?.data).toMatchObject({
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 20 },
  })
  model.assertDone()
})

test("thinking, text and parallel tool calls come as blocks of one message", async () => {
  await using model = await startScriptedModel({
    script: [
      reply(
        thinking("Let me see", { signature: "sig" }),
        "I look",
        toolCall("Bash", { command: "ls" }, { id: "toolu_a", chunkSize: 5 }),
        toolCall("Read", { file_path: "/x" }),
        usage({ input: 1000, cached: 600, cacheWrite: 100, output: 7 }),
      ),
    ],
  })
  const { events } = await stream(`${model.url}/v1/messages`, anthropicBody("hi"))
  const ofBlock = (index: number) => events.filter(({ data }) => data.index === index).map(({ data }) => data)
  expect(ofBlock(0)).toEqual([
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Let me see" } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sig" } },
    { type: "content_block_stop", index: 0 },
  ])
  expect(ofBlock(2)[0]).toMatchObject({
    content_block: { type: "tool_use", id: "toolu_a", name: "Bash", input: {} },
  })
  const pieces = ofBlock(2).flatMap(({ delta }) => (delta as { partial_json?: string } | undefined)?.partial_json ?? [])
  expect(pieces.length).toBeGreaterThan(2)
  expect(JSON.parse(pieces.join(""))).toEqual({ command: "ls" })
  expect(ofBlock(3)[0]).toMatchObject({ content_block: { id: expect.stringMatching(/^toolu_/), name: "Read" } })
  expect(events.at(-2)?.data).toMatchObject({
    delta: { stop_reason: "tool_use" },
    usage: { input_tokens: 300, cache_read_input_tokens: 600, cache_creation_input_tokens: 100, output_tokens: 7 },
  })
})

test("a request without stream gets the same answer as one message", async () => {
  await using model = await startScriptedModel({
    script: [
      reply(thinking("hm", { signature: "s" }), "Hello", toolCall("Bash", { command: "ls" }, { id: "toolu_1" })),
    ],
  })
  const response = await post(`${model.url}/v1/messages`, anthropicBody("hi", { stream: false }))
  expect(response.headers.get("content-type")).toBe("application/json")
  expect(await response.json()).toMatchObject({
    type: "message",
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "text", text: "Hello" },
      { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls" } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 100, output_tokens: 20 },
  })
})

test.each(["max_tokens", "refusal"] as const)("stop reason %s", async (reason) => {
  await using model = await startScriptedModel({ script: [reply("cut short", stop(reason))] })
  const { events } = await stream(`${model.url}/v1/messages`, anthropicBody("hi"))
  expect(events.at(-2)?.data).toMatchObject({ delta: { stop_reason: reason } })
})

test("arguments cut inside a character come together again", async () => {
  const input = { text: "snow ❄ and 🙂🙂 – ü" }
  await using model = await startScriptedModel({ script: [toolCall("Write", input, { chunkSize: 1 })] })
  const { events } = await stream(`${model.url}/v1/messages`, anthropicBody("hi"))
  const pieces = events.map(({ data }) => (data.delta as { partial_json?: string } | undefined)?.partial_json ?? "")
  expect(JSON.parse(pieces.join(""))).toEqual(input)
})
