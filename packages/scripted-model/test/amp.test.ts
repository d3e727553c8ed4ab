import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { LIMITS } from "../src/limits.ts"
import { startScriptedModel } from "../src/scripted-model.ts"
import { anthropicBody, post, responsesBody, stream } from "./client.ts"

const call = async (url: string, method: string, params: object) =>
  (await post(`${url}/api/internal?${method}`, { method, params: { ...params } })).json() as Promise<object>

test("Amp's server keeps threads, forgets them, and refuses keys", async () => {
  await using model = await startScriptedModel()
  expect(await call(model.url, "getUserInfo", {})).toMatchObject({ ok: true, result: { username: "dev" } })
  const missing = { ok: false, error: { code: "thread-not-found" } }
  expect(await call(model.url, "getThread", { thread: "T-1" })).toMatchObject(missing)
  const thread = { id: "T-1", v: 1, messages: ["x".repeat(30_000)] }
  const packed = gzipSync(JSON.stringify({ method: "uploadThread", params: { thread } }))
  const headers = { "content-encoding": "gzip" }
  expect(
    (await fetch(`${model.url}/api/internal?uploadThread`, { method: "POST", body: packed, headers })).status,
  ).toBe(200)
  expect(await call(model.url, "getThread", { thread: "T-1" })).toEqual({
    ok: true,
    result: { thread: { id: "T-1", data: thread } },
  })
  model.threadServer.forgetThreads()
  expect(await call(model.url, "getThread", { thread: "T-1" })).toMatchObject(missing)
  model.threadServer.refusing = true
  expect((await post(`${model.url}/api/internal?getUserInfo`, { method: "getUserInfo" })).status).toBe(401)
  expect(new Set(model.sideRequests.map(({ kind }) => kind))).toEqual(new Set(["thread-server"]))
  model.assertDone()
})

test("it keeps no more threads than its limit, and of a body no more than that of bodies", async () => {
  await using model = await startScriptedModel()
  for (let n = 0; n <= LIMITS.threads; n++) await call(model.url, "uploadThread", { thread: { id: `T-${n}` } })
  expect([model.threadServer.threads.length, model.threadServer.threads[0]]).toEqual([LIMITS.threads, "T-1"])
  const headers = { "content-encoding": "gzip" }
  const body = gzipSync(Buffer.alloc(LIMITS.bodyBytes + 1, " "))
  expect((await fetch(`${model.url}/v1/messages`, { method: "POST", body, headers })).status).toBe(413)
})

test("models are asked through it, of the provider that the path names", async () => {
  await using model = await startScriptedModel()
  model.script("T-1", ["one"])
  model.script(["two"])
  const said = await stream(`${model.url}/api/provider/anthropic/v1/messages`, anthropicBody("hi"), {
    "x-amp-thread-id": "T-1",
  })
  expect(said.text).toContain("one")
  expect((await stream(`${model.url}/api/provider/openai/v1/responses`, responsesBody("hi"))).text).toContain("two")
  const title = { tools: [{ name: "set_title" }], stream: false, system: "It generates short, descriptive titles" }
  const named = await post(`${model.url}/api/provider/anthropic/v1/messages`, anthropicBody("name it", title))
  expect(await named.json()).toMatchObject({ content: [{ name: "set_title", input: { title: "Scripted session" } }] })
  model.assertDone()
})
