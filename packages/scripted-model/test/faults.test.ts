import { expect, test } from "vitest"
import { cut, cutAfter, error, reply, sseError, text } from "../src/script.ts"
import { startScriptedModel } from "../src/scripted-model.ts"
import { times } from "../src/step.ts"
import { anthropicBody, chatBody, names, post, responsesBody, stream } from "./client.ts"
import { rawPost } from "./raw-client.ts"

const ANTHROPIC_TYPES = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  503: "overloaded_error",
  529: "overloaded_error",
}

test.each(Object.entries(ANTHROPIC_TYPES))("error %s has Anthropic's type %s", async (status, type) => {
  await using model = await startScriptedModel({ script: [error(Number(status), "no", { retryAfter: 3 })] })
  const response = await post(`${model.url}/v1/messages`, anthropicBody("hi"))
  expect(response.status).toBe(Number(status))
  expect(response.headers.get("retry-after")).toBe("3")
  expect(await response.json()).toEqual({ type: "error", error: { type, message: "no" } })
  model.assertDone()
})

test("errors in OpenAI's shape, the script's own type, code or body before the usual", async () => {
  await using model = await startScriptedModel({
    script: [
      times(2, error(429)),
      error(429, "used up", { type: "insufficient_quota" }),
      error(503),
      error(400, "", { body: { mine: true } }),
    ],
  })
  const ask = async () => await (await post(`${model.url}/v1/responses`, responsesBody("hi"))).json()
  for (let time = 0; time < 2; time += 1) {
    expect(await ask()).toMatchObject({ error: { message: "Scripted error 429", code: "rate_limit_exceeded" } })
  }
  expect(await ask()).toEqual({
    error: { message: "used up", type: "insufficient_quota", param: null, code: "insufficient_quota" },
  })
  expect(await ask()).toMatchObject({ error: { code: "server_is_overloaded" } })
  expect(await ask()).toEqual({ mine: true })
  model.assertDone()
})

test("an error event in the middle of a stream, in each dialect", async () => {
  await using model = await startScriptedModel({
    script: [times(3, reply(text("Hel", { open: true }), sseError("overloaded_error", "busy")))],
  })
  const messages = await stream(`${model.url}/v1/messages`, anthropicBody("hi"))
  expect(names(messages.events).slice(-2)).toEqual(["content_block_delta", "error"])
  expect(messages.events.at(-1)?.data).toEqual({ type: "error", error: { type: "overloaded_error", message: "busy" } })
  const responses = await stream(`${model.url}/v1/responses`, responsesBody("hi"))
  expect(responses.events.at(-1)).toMatchObject({
    event: "response.failed",
    data: { response: { status: "failed", error: { code: "overloaded_error", message: "busy" } } },
  })
  const chat = await stream(`${model.url}/v1/chat/completions`, chatBody("hi"))
  expect(chat.events.at(-1)?.data).toMatchObject({ error: { message: "busy", type: "overloaded_error" } })
  expect(messages.broken || responses.broken || chat.broken).toBe(false)
})

test("a stream error on a plain request is a 500", async () => {
  await using model = await startScriptedModel({ script: [reply("a", sseError("api_error"))] })
  const response = await post(`${model.url}/v1/messages`, anthropicBody("hi", { stream: false }))
  expect(response.status).toBe(500)
})

test("cut() breaks the connection where it stands; all that was sent before arrives", async () => {
  await using model = await startScriptedModel({
    script: [reply(text("Hel", { open: true }), cut()), reply("whole", cut()), reply(cut())],
  })
  const inside = await rawPost(`${model.url}/v1/messages`, anthropicBody("hi"))
  expect(inside.broken).toBe(true)
  expect(names(inside.events)).toEqual(["message_start", "content_block_start", "content_block_delta"])
  const after = await rawPost(`${model.url}/v1/messages`, anthropicBody("hi"))
  expect(after.broken).toBe(true)
  expect(names(after.events).at(-1)).toBe("content_block_stop")
  const atOnce = await rawPost(`${model.url}/v1/messages`, anthropicBody("hi"))
  expect(atOnce).toMatchObject({ broken: true, text: "" })
  expect(await model.requests[0]?.ended).toBe("cut")
})

test("cutAfter counts bytes or events", async () => {
  await using model = await startScriptedModel({
    script: [
      reply("Hello world", cutAfter({ bytes: 50 })),
      reply("Hello world", cutAfter({ events: 3 })),
      reply("later"),
    ],
  })
  const bytes = await rawPost(`${model.url}/v1/responses`, responsesBody("hi"))
  expect(bytes).toMatchObject({ broken: true })
  expect(Buffer.byteLength(bytes.text)).toBe(50)
  const events = await rawPost(`${model.url}/v1/responses`, responsesBody("hi"))
  expect(events.broken).toBe(true)
  expect(events.events).toHaveLength(3)
  const next = await rawPost(`${model.url}/v1/responses`, responsesBody("hi"))
  expect(next.broken).toBe(false)
})

test("a plain answer can be cut inside its body", async () => {
  await using model = await startScriptedModel({ script: [reply("Hello", cutAfter({ bytes: 10 }))] })
  const { text: body, broken } = await rawPost(`${model.url}/v1/messages`, anthropicBody("hi", { stream: false }))
  expect(broken).toBe(true)
  expect(body).toHaveLength(10)
})
