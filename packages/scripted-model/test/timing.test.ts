import { expect, test } from "vitest"
import { delay, gate, hang, hold, ping, reply, text } from "../src/script.ts"
import { startScriptedModel } from "../src/scripted-model.ts"
import { anthropicBody, post, readAll, stream } from "./client.ts"

const settled = async (promise: Promise<unknown>) =>
  await Promise.race([promise.then(() => true), new Promise<false>((resolve) => setTimeout(() => resolve(false), 60))])

test("a hold before the first content holds back the headers; the test opens it", async () => {
  const opening = gate()
  await using model = await startScriptedModel({ script: [reply(hold(opening), "go")] })
  const response = post(`${model.url}/v1/messages`, anthropicBody("hi"))
  expect(await settled(response)).toBe(false)
  opening.open()
  expect((await readAll(await response)).text).toContain('"go"')
})

test("a hold between chunks of one text: what came before is there, the rest is not", async () => {
  const middle = gate()
  await using model = await startScriptedModel({ script: [reply(text(["one ", hold(middle), "two"]))] })
  const response = await post(`${model.url}/v1/messages`, anthropicBody("hi"))
  const reader = response.body?.getReader()
  let seen = ""
  while (!seen.includes("one ")) seen += new TextDecoder().decode((await reader?.read())?.value)
  const rest = reader?.read() ?? Promise.reject(new Error("no body"))
  expect(await settled(rest)).toBe(false)
  middle.open()
  expect(new TextDecoder().decode((await rest).value)).toContain("two")
  await reader?.cancel()
})

test("delays pass between chunks and before the answer", async () => {
  await using model = await startScriptedModel({
    script: [reply(delay(40), text(["a", "b", "c"], { delayMs: 30 }))],
  })
  const started = performance.now()
  await stream(`${model.url}/v1/messages`, anthropicBody("hi"))
  expect(performance.now() - started).toBeGreaterThanOrEqual(95)
})

test("hang() never answers; the agent that leaves is recorded", async () => {
  await using model = await startScriptedModel({ script: [hang()] })
  const leaving = new AbortController()
  const response = post(`${model.url}/v1/messages`, anthropicBody("hi"), { signal: leaving.signal })
  const request = await model.waitFor(() => true)
  expect(await settled(response)).toBe(false)
  leaving.abort()
  await expect(response).rejects.toThrow()
  expect(await request.ended).toBe("client-gone")
})

test("an agent that leaves in the middle of a stream ends the reply", async () => {
  await using model = await startScriptedModel({ script: [reply(text(["a", hold(new Promise(() => {}))]))] })
  const leaving = new AbortController()
  const response = await post(`${model.url}/v1/messages`, anthropicBody("hi"), { signal: leaving.signal })
  expect(response.status).toBe(200)
  leaving.abort()
  expect(await model.requests[0]?.ended).toBe("client-gone")
})

test("ping() starts the response before the content", async () => {
  await using model = await startScriptedModel({ script: [reply(ping(), hang())] })
  const response = await post(`${model.url}/v1/messages`, anthropicBody("hi"))
  expect(response.status).toBe(200)
  await response.body?.cancel()
})

test("close() ends hanging requests, twice is once", async () => {
  const model = await startScriptedModel({ script: [hang()] })
  const response = post(`${model.url}/v1/messages`, anthropicBody("hi"))
  const failed = expect(response).rejects.toThrow()
  const request = await model.waitFor(() => true)
  await Promise.all([model.close(), model.close()])
  await failed
  expect(await request.ended).toBe("closed")
})

test("a hold that rejects is a fault of the script, said loudly", async () => {
  await using model = await startScriptedModel({ script: [reply(hold(Promise.reject(new Error("gate broke"))), "x")] })
  const response = await post(`${model.url}/v1/messages`, anthropicBody("hi"))
  expect(response.status).toBe(500)
  expect(() => model.assertDone()).toThrow(/gate broke/)
})
