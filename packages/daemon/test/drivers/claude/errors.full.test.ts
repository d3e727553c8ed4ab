import { cut, error, reply, sseError, stop, text } from "@sandbox-agent/scripted-model/script"
import { times } from "@sandbox-agent/scripted-model/step"
import { versions } from "@sandbox-agent/test-agents/claude"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { describe, expect, test } from "vitest"
import { startLive } from "./live.ts"

describe.each(versions)("claude %s", (version) => {
  const failures = [
    [401, "authentication_failed", "invalid x-api-key"],
    [429, "rate_limited", "slow down"],
    [529, "overloaded", "Overloaded"],
    [404, "model_not_found", "model: nope"],
    [400, "invalid_request", "out of luck"],
  ] as const
  test("a status of the model ends the turn with its code, not the session, one after the other", async () => {
    await using live = await startLive([], { version })
    for (const [at, [status, code, message]] of failures.entries()) {
      live.model.reset()
      live.model.script([times(2, error(status, message))])
      const ended = await live.run("hi")
      expect(ended.stop_reason, `${status}`).toBe("error")
      expect([code, "server_error"], `${status}`).toContain(ended.error?.code)
      if (status !== 529) expect(ended.error?.code).toBe(code)
      expect(ended.error?.message).not.toBe("")
      expect(live.of("error")).toHaveLength(at + 1)
      live.model.reset()
      live.model.script([`better than ${status}`])
      expect(await live.run("again")).toMatchObject({ stop_reason: "end_turn" })
      expect(live.transcript().at(-1)).toBe(`assistant: better than ${status}`)
    }
    expect(live.wrongs()).toEqual([])
  })

  test("what is tried again is told, and its first half is not the answer", async () => {
    await using live = await startLive(
      [error(429, "slow down", { retryAfter: 1 }), "first", reply(text("half", { open: true }), cut()), "second"],
      { version },
    )
    expect(await live.run("hi")).toMatchObject({ stop_reason: "end_turn" })
    expect(live.labels()).toContain("claude.api_retry")
    expect(await live.run("again")).toMatchObject({ stop_reason: "end_turn" })
    const said = live.items().filter(({ kind, role }) => kind === "message" && role === "assistant")
    expect(said.at(-1)?.content).toEqual([{ type: "text", text: "second" }])
    expect(live.wrongs()).toEqual([])
  })
})

test("a stream that breaks with an error event is gone on with", async () => {
  await using live = await startLive([reply("begun", sseError()), "ended"])
  expect(await live.run("hi")).toMatchObject({ stop_reason: "end_turn" })
  expect(live.transcript()).toContain("assistant: ended")
  expect(live.wrongs()).toEqual([])
})

test("a model that cannot be reached, a prompt too long, and no credentials", async () => {
  // Of a port that the kernel gives to others somebody else's model could answer.
  const script = [error(400, "prompt is too long: 300000 tokens > 200000 maximum")]
  await using live = await startLive(script, { port: await keptPort() })
  expect(await live.run("long")).toMatchObject({ error: { code: "prompt_too_long" } })
  await live.model.close()
  expect(await live.run("hi")).toMatchObject({ stop_reason: "error", error: { code: "connection_failed" } })
  const bare = await live.create("bare", { env: { ...live.env, ANTHROPIC_API_KEY: "" } })
  expect(await live.run("hi", bare)).toMatchObject({ stop_reason: "error", error: { code: "authentication_failed" } })
  expect(live.wrongs()).toEqual([])
})

test("a refusal that stands is told", async () => {
  await using live = await startLive([times(3, reply("no", stop("refusal")))])
  expect(["refusal", "end_turn", "error"]).toContain((await live.run("hi")).stop_reason)
  expect(live.wrongs()).toEqual([])
})
