import { expect, test } from "vitest"
import { afterTool, fromMain, fromSubagent, not, systemSays, userSays } from "../src/match.ts"
import { lastUserText, toolResults } from "../src/request.ts"
import { error, reply, toolCall } from "../src/script.ts"
import { startScriptedModel } from "../src/scripted-model.ts"
import { always, optional, times, when } from "../src/step.ts"
import { anthropicBody, post, stream } from "./client.ts"

async function ask(url: string, text: string, rest = {}, headers: Record<string, string> = {}): Promise<string> {
  const response = await post(`${url}/v1/messages`, anthropicBody(text, { stream: false, ...rest }), { headers })
  const body = (await response.json()) as { content?: { text: string }[]; error?: { message: string } }
  return body.content?.map((block) => block.text).join("") ?? `error: ${body.error?.message}`
}

test("steps are used up in order; steps can be added later", async () => {
  await using model = await startScriptedModel({ script: ["one", times(2, "two")] })
  const said = [await ask(model.url, "a"), await ask(model.url, "b"), await ask(model.url, "c")]
  model.script(["three"])
  expect([...said, await ask(model.url, "d")]).toEqual(["one", "two", "two", "three"])
  model.assertDone()
})

test("a step with a condition waits for its request; always() answers what is left", async () => {
  await using model = await startScriptedModel({
    script: [always("whatever"), when(userSays("weather"), "rain"), when(userSays(/^sum/), "42"), "first"],
  })
  expect(await ask(model.url, "hello")).toBe("first")
  expect(await ask(model.url, "sum up")).toBe("42")
  expect(await ask(model.url, "the weather?")).toBe("rain")
  expect(await ask(model.url, "the weather?")).toBe("whatever")
  expect(await ask(model.url, "more")).toBe("whatever")
  model.assertDone()
})

test("conditions on the system prompt, tool results and sub-agents", async () => {
  await using model = await startScriptedModel({
    script: [
      when(systemSays("reviewer"), "reviewed"),
      when(fromSubagent("a17"), "sub"),
      when(afterTool("Bash"), (request) => `saw ${toolResults(request)[0]?.text}`),
      when(fromMain(), when(not(userSays("nothing")), "main")),
    ],
  })
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "42 files" }] },
  ]
  expect(await ask(model.url, "go", { messages })).toBe("saw 42 files")
  expect(await ask(model.url, "x", {}, { "x-claude-code-agent-id": "a17" })).toBe("sub")
  expect(await ask(model.url, "x", { system: "You are a reviewer" })).toBe("reviewed")
  expect(await ask(model.url, "x")).toBe("main")
  model.assertDone()
})

test("a function of the request gives the answer, at once or later", async () => {
  await using model = await startScriptedModel({
    script: [(request) => `You said ${lastUserText(request)}`, async () => error(429)],
  })
  expect(await ask(model.url, "abc")).toBe("You said abc")
  expect(await ask(model.url, "abc")).toBe("error: Scripted error 429")
})

test("no step left: a 400 that says why, kept as unexpected, and assertDone throws", async () => {
  await using model = await startScriptedModel({ script: ["one"] })
  await ask(model.url, "a")
  const response = await post(`${model.url}/v1/messages`, anthropicBody("surprise"))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringMatching(/no step left for request 2 .*user "surprise"/) },
  })
  expect(model.unexpected).toMatchObject([{ method: "POST", path: "/v1/messages", request: { number: 2 } }])
  expect(() => model.assertDone()).toThrow(/unexpected: no step left for request 2/)
})

test("assertDone names every step that was not used, but not the optional ones", async () => {
  await using model = await startScriptedModel({
    script: [
      times(3, error(529)),
      when(userSays("x"), reply("hm", toolCall("Bash"))),
      optional("left over"),
      always("rest"),
    ],
  })
  model.script("s1", ["for s1"])
  await stream(`${model.url}/v1/messages`, anthropicBody("hi"))
  let message = ""
  try {
    model.assertDone()
  } catch (problem) {
    message = String(problem)
  }
  expect(message).toContain("not used: step 1 (2 times): error 529")
  expect(message).toContain('not used: step 2: reply(text "hm", toolCall Bash) when userSays("x")')
  expect(message).toContain('not used: session s1, step 1: text "for s1"')
  expect(message).not.toContain("left over")
  expect(message).not.toContain("rest")
})

test("a script function that throws, or an error() after content, fails loudly", async () => {
  await using model = await startScriptedModel({
    script: [
      () => {
        throw new Error("bad script")
      },
      reply("content", error(500)),
    ],
  })
  expect(await ask(model.url, "a")).toMatch(/bad script/)
  const late = await stream(`${model.url}/v1/messages`, anthropicBody("b"))
  expect(late.broken).toBe(true)
  expect(() => model.assertDone()).toThrow(/error\(\) after content/)
})

test("waitFor gives up with a message; reset forgets", async () => {
  await using model = await startScriptedModel({ script: ["one", "two"] })
  await expect(model.waitFor(userSays("never"), 20)).rejects.toThrow(/userSays\("never"\)/)
  await ask(model.url, "a")
  model.reset()
  expect(model.requests).toHaveLength(0)
  model.assertDone()
})
