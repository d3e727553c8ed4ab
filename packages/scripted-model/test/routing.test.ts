import { expect, test } from "vitest"
import { fromMain, fromSubagent } from "../src/match.ts"
import { codexMain } from "../src/route.ts"
import { reply, text, toolCall, words } from "../src/script.ts"
import { startScriptedModel } from "../src/scripted-model.ts"
import { when } from "../src/step.ts"
import { anthropicBody, chatBody, post, responsesBody, stream } from "./client.ts"

const SESSIONS = 50

test("a session is found by address, key, agent header or cache key", async () => {
  await using model = await startScriptedModel({ script: ["shared"] })
  const say = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await post(path, { ...body, stream: false }, { headers })
    return /said-\w+|shared/.exec(await response.text())?.[0]
  }
  for (const key of ["prefix", "bearer", "apikey", "claude", "codex", "cache", "opencode", "meta"]) {
    model.script(key, [`said-${key}`])
  }
  const { url } = model
  expect(await say(`${model.urlFor("prefix")}/v1/messages`, anthropicBody("x"))).toBe("said-prefix")
  const bearer = { authorization: `Bearer ${model.keyFor("bearer")}` }
  expect(await say(`${url}/v1/chat/completions`, chatBody("x"), bearer)).toBe("said-bearer")
  expect(await say(`${url}/v1/messages`, anthropicBody("x"), { "x-api-key": "key-apikey" })).toBe("said-apikey")
  const claude = { "x-claude-code-session-id": "claude", "x-api-key": "dummy" }
  expect(await say(`${url}/v1/messages`, anthropicBody("x"), claude)).toBe("said-claude")
  expect(await say(`${url}/v1/responses`, responsesBody("x"), { "thread-id": "codex" })).toBe("said-codex")
  expect(await say(`${url}/v1/responses`, responsesBody("x", { prompt_cache_key: "cache" }))).toBe("said-cache")
  expect(await say(`${url}/v1/chat/completions`, chatBody("x"), { "x-session-id": "opencode" })).toBe("said-opencode")
  const metadata = { user_id: JSON.stringify({ session_id: "meta" }) }
  expect(await say(`${url}/v1/messages`, anthropicBody("x", { metadata }))).toBe("said-meta")
  expect(await say(`${url}/v1/messages`, anthropicBody("x"), { "x-api-key": "key-unknown" })).toBe("shared")
  expect(model.requestsOf("unknown").map(({ session }) => session)).toEqual([""])
  model.assertDone()
})

test("sub-agents of Claude Code, OpenCode and Codex are known, and use the script of their session", async () => {
  await using model = await startScriptedModel()
  const answers = [when(fromSubagent(), "sub"), when(fromMain(), "main")]
  for (const key of ["claude", "opencode", "codex"]) model.script(key, answers)
  const asked: Record<string, string>[] = [
    { "x-claude-code-session-id": "claude" },
    { "x-claude-code-session-id": "claude", "x-claude-code-agent-id": "a1" },
    { "x-session-id": "opencode" },
    { "x-session-id": "child", "x-parent-session-id": "opencode" },
    { "session-id": "codex", "thread-id": "codex", "x-codex-turn-metadata": JSON.stringify({ agent_name: codexMain }) },
    {
      "session-id": "codex",
      "thread-id": "t2",
      "x-codex-turn-metadata": JSON.stringify({ agent_name: `${codexMain}/one` }),
    },
  ]
  for (const headers of asked) await stream(`${model.url}/v1/messages`, anthropicBody("x"), headers)
  expect(model.requests.map(({ agentId }) => agentId)).toEqual([
    undefined,
    "a1",
    undefined,
    "child",
    undefined,
    `${codexMain}/one`,
  ])
  model.assertDone()
})

test("odd session names survive the address", async () => {
  await using model = await startScriptedModel()
  model.script("a b/ü", ["found"])
  const { text: body } = await stream(`${model.urlFor("a b/ü")}/v1/messages`, anthropicBody("x"))
  expect(body).toContain("found")
})

test(`${SESSIONS} sessions at once, three dialects, each hears only its own script`, async () => {
  await using model = await startScriptedModel()
  const paths = ["/v1/messages", "/v1/responses", "/v1/chat/completions"] as const
  const bodies = { "/v1/messages": anthropicBody, "/v1/responses": responsesBody, "/v1/chat/completions": chatBody }
  const runs = Array.from({ length: SESSIONS }, async (_, at) => {
    const key = `s${at}`
    const path = paths[at % paths.length] ?? paths[0]
    model.script(key, [
      reply(toolCall("Bash", { command: `echo mark-${at}-` })),
      reply(text(words(`one two three mark-${at}- end`), { delayMs: 2 })),
    ])
    const first = await stream(`${model.urlFor(key)}${path}`, bodies[path](`first of ${key}`))
    const second = await stream(`${model.urlFor(key)}${path}`, bodies[path](`second of ${key}`))
    expect(first.text).toContain(`mark-${at}-`)
    expect(second.text).toContain(`mark-${at}-`)
    expect(`${first.text}${second.text}`.match(/mark-\d+-/g)?.every((mark) => mark === `mark-${at}-`)).toBe(true)
    expect(model.requestsOf(key)).toHaveLength(2)
  })
  await Promise.all(runs)
  expect(model.requests).toHaveLength(2 * SESSIONS)
  expect(new Set(model.requests.map(({ number }) => number)).size).toBe(2 * SESSIONS)
  model.assertDone()
})
