import { expect, test } from "vitest"
import { startScriptedModel } from "../src/scripted-model.ts"
import { onSide } from "../src/step.ts"
import { anthropicBody, chatBody, post, responsesBody, stream } from "./client.ts"

const titleFormat = {
  output_config: {
    format: { type: "json_schema", schema: { type: "object", properties: { title: { type: "string" } } } },
  },
}

test("health, token counts, model lists and websocket attempts use up no step", async () => {
  await using model = await startScriptedModel({
    script: ["left"],
    models: [{ id: "m1", displayName: "M One" }],
    countTokens: 7,
  })
  expect((await fetch(`${model.url}/`, { method: "HEAD" })).status).toBe(200)
  const counted = await post(`${model.url}/v1/messages/count_tokens?beta=true`, anthropicBody("x"))
  expect(await counted.json()).toEqual({ input_tokens: 7 })
  expect(await (await fetch(`${model.url}/v1/models`)).json()).toMatchObject({
    object: "list",
    data: [{ id: "m1", object: "model" }],
  })
  const anthropic = { headers: { "anthropic-version": "2023-06-01" } }
  expect(await (await fetch(`${model.url}/v1/models?limit=1000`, anthropic)).json()).toMatchObject({
    data: [{ type: "model", id: "m1", display_name: "M One" }],
    has_more: false,
    first_id: "m1",
  })
  expect(await (await fetch(`${model.url}/v1/models/m1`)).json()).toMatchObject({ id: "m1" })
  expect((await fetch(`${model.url}/v1/models/nope`)).status).toBe(404)
  expect((await fetch(`${model.url}/v1/responses`)).status).toBe(426)
  expect(model.sideRequests.map(({ kind }) => kind)).toEqual([
    "health",
    "count-tokens",
    "models",
    "models",
    "models",
    "models",
    "websocket",
  ])
  expect(model.requests).toHaveLength(0)
  expect(() => model.assertDone()).toThrow(/not used: step 1/)
})

test("probes, titles and compactions of the agents have default answers", async () => {
  await using model = await startScriptedModel()
  const probe = await post(`${model.url}/v1/messages`, {
    model: "m",
    max_tokens: 1,
    messages: [{ role: "user", content: "Hi" }],
  })
  expect(await probe.json()).toMatchObject({ type: "message", content: [{ text: "ok" }] })
  const claudeTitle = await stream(`${model.url}/v1/messages`, anthropicBody("name it", { tools: [], ...titleFormat }))
  expect(claudeTitle.text).toContain(String.raw`{\"title\":\"Scripted session\"}`)
  const title = [
    { role: "system", content: "You are a title generator. You output ONLY a thread title." },
    { role: "user", content: "Generate a title" },
  ]
  expect((await stream(`${model.url}/v1/chat/completions`, chatBody("", { messages: title }))).text).toContain(
    "Scripted session",
  )
  const claude = anthropicBody("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- Do NOT use Read")
  expect((await stream(`${model.url}/v1/messages`, claude)).text).toContain("<summary>")
  const codex = responsesBody("You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary")
  expect((await stream(`${model.url}/v1/responses`, codex)).text).toContain("Scripted summary")
  const trigger = [{ type: "message", role: "user", content: "a" }, { type: "compaction_trigger" }]
  const triggered = await stream(`${model.url}/v1/responses`, responsesBody("", { input: trigger }))
  const items = triggered.events.filter(({ event }) => event === "response.output_item.done")
  expect(items.map(({ data }) => data.item)).toMatchObject([{ type: "compaction" }])
  expect(model.sideRequests.map(({ kind, request }) => [kind, request?.side])).toEqual([
    ["probe", "probe"],
    ["title", "title"],
    ["title", "title"],
    ["compaction", "compaction"],
    ["compaction", "compaction"],
    ["compaction", "compaction"],
  ])
  model.assertDone()
})

test("side answers are replaced for all sessions by an option, for one by a step", async () => {
  await using model = await startScriptedModel({ sides: { title: '{"title":"For all"}' } })
  model.script("mine", [onSide("title", '{"title":"Mine"}'), "not for titles"])
  const title = anthropicBody("name it", { tools: [], ...titleFormat })
  expect((await stream(`${model.url}/v1/messages`, title)).text).toContain("For all")
  expect((await stream(`${model.urlFor("mine")}/v1/messages`, title)).text).toContain("Mine")
  expect((await stream(`${model.urlFor("mine")}/v1/messages`, title)).text).toContain("For all")
  expect((await stream(`${model.urlFor("mine")}/v1/messages`, anthropicBody("x"))).text).toContain("not for titles")
  model.assertDone()
})

test("unknown paths and bodies that are no JSON are unexpected", async () => {
  await using model = await startScriptedModel()
  expect((await post(`${model.url}/v1/embeddings`, {})).status).toBe(404)
  const broken = await fetch(`${model.url}/v1/messages`, { method: "POST", body: "{" })
  expect(broken.status).toBe(400)
  expect(model.unexpected.map(({ reason }) => reason)).toEqual([
    "no such path: POST /v1/embeddings",
    "body is not JSON",
  ])
  expect(() => model.assertDone()).toThrow(/embeddings/)
})
