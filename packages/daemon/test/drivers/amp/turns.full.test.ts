import { reply, stop, text, thinking, toolCall, words } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { startLive } from "./live.ts"

const timeout = 120_000

test("an empty answer, of which Amp tells nothing, ends the turn, and the thread goes on", { timeout }, async () => {
  await using live = await startLive([reply(), "after"], { intervals: { silenceMs: 200 } })
  expect(await live.run("one")).toMatchObject({ stop_reason: "end_turn" })
  const { id } = live.session.record.native
  expect(await live.run("two")).toMatchObject({ stop_reason: "end_turn" })
  expect(live.session.record.native.id).toBe(id)
  expect(live.transcript()).toEqual(["user: one", "user: two", "assistant: after"])
  expect(live.wrongs()).toEqual([])
})

test("an answer that was cut at its length is told when it is interrupted", { timeout }, async () => {
  await using live = await startLive([reply("half", stop("max_tokens")), "after"])
  void live.post("one")
  await live.model.waitFor(() => true, 60_000)
  await live.until("message.updated", ({ data }) => data.state === "taken")
  await cancelTurn(live.session, {})
  expect(live.of("turn.ended")[0]?.data.stop_reason).toBe("cancelled")
  expect(await live.run("two")).toMatchObject({ stop_reason: "end_turn" })
})

test("interrupted before it has taken the message, it gives it back, and takes the next", { timeout }, async () => {
  await using live = await startLive(["answer"])
  const id = await live.post("one")
  await cancelTurn(live.session, {})
  const states = () => live.of("message.updated").filter(({ data }) => data.message_id === id)
  expect(live.of("turn.ended").map(({ data }) => data.stop_reason)).toEqual(["cancelled"])
  expect(states().map(({ data }) => data.state)).toEqual(["queued", "withdrawn"])
  expect(await live.run("two")).toMatchObject({ stop_reason: "end_turn" })
  expect(live.wrongs()).toEqual([])
})

test("a thread of its own is adopted, with its past and its mode", { timeout }, async () => {
  const script = [reply(thinking("hm"), "I run", toolCall("Bash", { cmd: "echo hi; exit 3" })), "bye", "still here"]
  await using live = await startLive(script, { create: { agentMode: "rush", permissionMode: "bypass" } })
  await live.run("one")
  const id = live.session.record.native.id ?? ""
  await live.core.sessions.deleteById("live")
  process.env.AMP_URL = live.model.url
  process.env.AMP_API_KEY = "dummy"
  try {
    const adopted = await live.create("adopted", { agent: "amp", env: live.env, nativeSessionId: id })
    expect(live.transcript(adopted)).toEqual([
      ...["user: one", "thinks: hm", "assistant: I run", "call Bash", "result hi\n", "assistant: bye"],
    ])
    expect(adopted.record.agentMode).toBe("rush")
    expect(await live.run("two", adopted)).toMatchObject({ stop_reason: "end_turn" })
    expect(adopted.record.native.id).toBe(id)
    expect(live.model.requests.at(-1)?.messages.length).toBeGreaterThan(4)
  } finally {
    delete process.env.AMP_URL
    delete process.env.AMP_API_KEY
  }
})

const keys = [
  ["no key", { AMP_API_KEY: "" }, false],
  ["a key that is refused", {}, true],
] as const

test.each(keys)("%s ends the turn at once, with a typed error", { timeout }, async (_, env, refusing) => {
  await using live = await startLive([], { create: { env } })
  live.model.threadServer.refusing = refusing
  const { stop_reason, error } = await live.run("one")
  expect([stop_reason, error?.code]).toEqual(["error", "authentication_failed"])
  expect(error?.message).toContain("AMP_API_KEY")
  expect(JSON.stringify(live.of("error"))).not.toContain("authToken")
  expect(live.wrongs()).toEqual([])
})

test("a thread keeps its mode: in another one it is begun anew, and told of what was", { timeout }, async () => {
  const model = ({ model: asked }: { model: string }) => reply(text(words(asked)))
  await using live = await startLive([model, model, model])
  await live.run("one")
  const first = live.session.record.native.id
  expect(await patchSession(live.session, { variant: "max" })).toBe("reopen")
  await live.run("two")
  expect(live.session.record.native.id).toBe(first)
  expect(live.model.requests.map(({ effort }) => effort)).toEqual(["high", "max"])
  await expect(patchSession(live.session, { agentMode: "rush" })).rejects.toMatchObject({ code: "invalid_request" })
  expect(await patchSession(live.session, { agentMode: "rush", variant: "default" })).toBe("reopen")
  await live.run("three")
  expect(live.session.record.native.id).not.toBe(first)
  expect(live.of("session.updated").find(({ data }) => data.context === "rebuilt")?.data.reason).toContain(
    "keeps its mode",
  )
  expect(live.model.requests.map(({ model: asked }) => asked).at(-1)).toContain("haiku")
  expect(JSON.stringify(live.model.requests.at(-1)?.body)).toContain("session-brief")
})
