import { expect, test } from "vitest"
import { raw, reply, stop, text, thinking, toolCall, usage } from "../src/script.ts"
import { startScriptedModel } from "../src/scripted-model.ts"
import { names, post, responsesBody, stream } from "./client.ts"

test("a text turn runs from response.created to response.completed, numbered without gaps", async () => {
  await using model = await startScriptedModel({
    script: [reply(text(["Hello ", "world"]), usage({ input: 100, cached: 40, output: 20, reasoning: 5 }))],
  })
  const { events } = await stream(`${model.url}/v1/responses`, responsesBody("hi"))
  expect(names(events)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ])
  expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_, at) => at))
  for (const { event, data } of events) expect(data.type).toBe(event)
  const item = events[2]?.data.item as { id: string }
  expect(item).toMatchObject({ type: "message", role: "assistant", content: [], status: "in_progress" })
  expect(events[4]?.data).toMatchObject({ item_id: item.id, output_index: 0, content_index: 0, delta: "Hello " })
  const done = {
    type: "message",
    id: item.id,
    role: "assistant",
    phase: "final_answer",
    status: "completed",
    content: [{ type: "output_text", text: "Hello world" }],
  }
  expect(events[8]?.data.item).toMatchObject(done)
  expect(events[9]?.data.response).toMatchObject({
    status: "completed",
    output: [done],
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 40 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 120,
    },
  })
})

test("reasoning comes as a summary, or as raw text", async () => {
  await using model = await startScriptedModel({
    script: [
      reply(thinking("**Plan**", { signature: "ENC" }), "a"),
      reply(thinking("raw thoughts", { raw: true }), "b"),
    ],
  })
  const summary = await stream(`${model.url}/v1/responses`, responsesBody("hi"))
  expect(names(summary.events).slice(2, 8)).toEqual([
    "response.output_item.added",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
    "response.reasoning_summary_part.done",
    "response.output_item.done",
  ])
  expect(summary.events[7]?.data.item).toMatchObject({
    type: "reasoning",
    summary: [{ type: "summary_text", text: "**Plan**" }],
    encrypted_content: "ENC",
  })
  const rawText = await stream(`${model.url}/v1/responses`, responsesBody("hi"))
  expect(names(rawText.events).slice(2, 6)).toEqual([
    "response.output_item.added",
    "response.reasoning_text.delta",
    "response.reasoning_text.done",
    "response.output_item.done",
  ])
  expect(rawText.events[5]?.data.item).toMatchObject({ content: [{ type: "reasoning_text", text: "raw thoughts" }] })
})

test("tool calls: functions, custom tools, tools in a namespace", async () => {
  await using model = await startScriptedModel({
    script: [
      reply(
        "Now",
        toolCall("exec_command", { cmd: "ls" }, { id: "call_1", chunkSize: 4 }),
        toolCall("apply_patch", "*** Begin Patch\n*** End Patch"),
        toolCall("mcp__lab__echo", { text: "x" }),
      ),
    ],
  })
  const tools = [
    { type: "function", name: "exec_command" },
    { type: "custom", name: "apply_patch" },
    { type: "namespace", name: "mcp__lab", tools: [{ type: "function", name: "echo" }] },
  ]
  const { events } = await stream(`${model.url}/v1/responses`, responsesBody("hi", { tools }))
  const items = events.flatMap(({ event, data }) => (event === "response.output_item.done" ? [data.item] : []))
  expect(items).toMatchObject([
    { type: "message", phase: "commentary" },
    { type: "function_call", id: "fc_call_1", call_id: "call_1", name: "exec_command", arguments: '{"cmd":"ls"}' },
    { type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch\n*** End Patch" },
    { type: "function_call", namespace: "mcp__lab", name: "echo", arguments: '{"text":"x"}' },
  ])
  const deltas = events.filter(({ event }) => event === "response.function_call_arguments.delta")
  expect(deltas.length).toBeGreaterThan(2)
  expect(names(events)).toContain("response.custom_tool_call_input.delta")
  expect(model.requests[0]?.tools).toEqual(["exec_command", "apply_patch", "mcp__lab__echo"])
})

test("max_tokens and refusal end in response.incomplete", async () => {
  await using model = await startScriptedModel({ script: [reply("a", stop("max_tokens")), reply(stop("refusal"))] })
  const long = await stream(`${model.url}/responses`, responsesBody("hi"))
  expect(long.events.at(-1)).toMatchObject({
    event: "response.incomplete",
    data: { response: { incomplete_details: { reason: "max_output_tokens" } } },
  })
  const refused = await stream(`${model.url}/responses`, responsesBody("hi"))
  expect(refused.events.at(-1)).toMatchObject({
    event: "response.incomplete",
    data: { response: { incomplete_details: { reason: "content_filter" } } },
  })
})

test("raw events pass as they are, in their dialect only; a plain answer is the response object", async () => {
  const search = { type: "response.output_item.done", output_index: 0, item: { type: "web_search_call", id: "ws_1" } }
  await using model = await startScriptedModel({
    script: [reply(raw("openai-responses", search), raw("openai-chat", { no: true }), "found"), "plain"],
  })
  const { events } = await stream(`${model.url}/v1/responses`, responsesBody("hi"))
  expect(events[2]?.data).toMatchObject(search)
  expect(JSON.stringify(events)).not.toContain('"no":true')
  const plain = await post(`${model.url}/v1/responses`, responsesBody("hi", { stream: false }))
  expect(await plain.json()).toMatchObject({
    object: "response",
    status: "completed",
    output: [{ type: "message", content: [{ text: "plain" }] }],
  })
})
