import {
  cut,
  error,
  gate,
  hold,
  reply,
  stop,
  text,
  thinking,
  toolCall,
  words,
} from "@sandbox-agent/scripted-model/script"
import { describe, expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import type { Session } from "../../../src/core/session.ts"
import { gone } from "../../supervisor/processes.ts"
import { lasting, pidIn } from "../lasting-command.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const bash = (command: string) => toolCall("bash", { command, description: "As told" })
const options = { timeout: 180_000 }
/** What the model was asked beside the conversation of this session. */
const sidesOf = ({ record }: Session) =>
  shared.live.model.sideRequests.flatMap(({ kind, request }) =>
    request?.sessionKeys.includes(record.native.id ?? "") ? [kind] : [],
  )

describe("a turn", options, () => {
  test("has reasoning, text, a tool with its output, usage and a title", async () => {
    const { live } = shared
    const script = [reply(thinking(words("let me see")), text(words("I look")), bash("echo hi")), "done"]
    const session = await live.open(script, { permissionMode: "bypass" })
    expect(await live.run("hello", session)).toMatchObject({ stop_reason: "end_turn", cost_usd: 0.00028 })
    const lines = [
      "user: hello",
      "thinks: let me see",
      "assistant: I look",
      "call bash",
      "result hi\n",
      "assistant: done",
    ]
    expect(new Set(live.transcript(session))).toEqual(new Set(lines))
    expect(session.record.usage).toMatchObject({ input_tokens: 200, output_tokens: 40, context_size: 128_000 })
    // Its model is asked for it beside the turn.
    await live.until("session.updated", ({ data }) => data.title !== undefined, session)
    expect([session.record.title, sidesOf(session)]).toEqual(["Scripted session", ["title"]])
    expect(live.of("session.updated", session).flatMap(({ data }) => data.title ?? [])).toEqual(["Scripted session"])
    expect(live.wrongs()).toEqual([])
  })

  test("ends with an error of the model once, and the next message is not lost between the idles", async () => {
    const { live } = shared
    const session = await live.open([error(401, "bad key"), "one", error(400, "no way"), "two"])
    const ends = [
      await live.run("a", session),
      await live.run("b", session),
      await live.run("c", session),
      await live.run("d", session),
    ]
    expect(ends.map(({ stop_reason, error }) => error?.code ?? stop_reason)).toEqual([
      ...["authentication_failed", "end_turn", "invalid_request", "end_turn"],
    ])
    expect(live.of("error", session)).toHaveLength(2)
    expect(live.wrongs()).toEqual([])
  })

  test("tells a retry, and what was said before the break is not the answer", async () => {
    const { live } = shared
    const heard = gate()
    const session = await live.open([reply(text(["half ", "of ", hold(heard)], { open: true }), cut()), "the whole"])
    const turn = live.run("go", session)
    await live.until("item.delta", undefined, session)
    heard.open()
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    const said = live.items(session).filter(({ role }) => role === "assistant")
    expect(said.map(({ status, metadata }) => [status, metadata?.reason])).toEqual([
      ["failed", "retried"],
      ["completed", undefined],
    ])
    expect(live.labels(session)).toEqual(["opencode.retry"])
    expect(live.wrongs()).toEqual([])
  })

  test("in a session that has a name leaves it alone", async () => {
    const { live } = shared
    const session = await live.open(["done"], { title: "Mine" })
    await live.run("go", session)
    expect([session.record.title, sidesOf(session)]).toEqual(["Mine", []])
    expect(live.wrongs()).toEqual([])
  })

  test("stops at the limit of the model's words", async () => {
    const { live } = shared
    const session = await live.open([reply("as far as", stop("max_tokens"))])
    expect(await live.run("go", session)).toMatchObject({ stop_reason: "max_tokens" })
    expect(live.wrongs()).toEqual([])
  })

  test("takes a steered message, which is answered after what runs", async () => {
    const { live } = shared
    const middle = gate()
    const session = await live.open([reply(text(["first ", hold(middle), "answer"])), "second answer"])
    const turn = live.run("one", session)
    await live.until("item.delta", undefined, session)
    const steered = await live.post("two", { delivery: "steer" }, session)
    await live.until("message.updated", ({ data }) => data.message_id === steered && data.state === "taken", session)
    middle.open()
    expect((await turn).message_ids).toHaveLength(2)
    expect(live.transcript(session).at(-1)).toBe("assistant: second answer")
    expect(live.wrongs()).toEqual([])
  })
})

describe("an interrupt", options, () => {
  test("cuts a text, and a message at once afterwards is taken", async () => {
    const { live } = shared
    const session = await live.open([reply(text(["half ", hold(gate())])), "next"])
    const turn = live.run("go", session)
    await live.until("item.delta", undefined, session)
    const cancelled = cancelTurn(session, {})
    const next = live.run("and on", session)
    expect(await cancelled).toMatchObject({ ended: true })
    expect(await turn).toMatchObject({ stop_reason: "cancelled" })
    expect((await turn).forced).toBeUndefined()
    expect(await next).toMatchObject({ stop_reason: "end_turn" })
    expect(live.items(session).find(({ status }) => status === "failed")).toMatchObject({
      metadata: { reason: "cancelled" },
    })
    expect(live.wrongs()).toEqual([])
  })

  test("before the agent has begun waits for it, and nothing runs afterwards", async () => {
    const { live } = shared
    const session = await live.open([reply(text(["half ", hold(gate())])), "next"])
    const turn = live.run("go", session)
    await live.until("turn.started", undefined, session)
    await cancelTurn(session, {})
    expect(await turn).toMatchObject({ stop_reason: "cancelled" })
    live.script(session, [])
    expect(live.wrongs()).toEqual([])
  })

  test("ends the command of a sub-agent", async () => {
    const { live } = shared
    const task = toolCall("task", { description: "Sub", subagent_type: "general", prompt: "do it" })
    const session = await live.open([reply(task), reply(bash(lasting("inner")))], { permissionMode: "bypass" })
    const turn = live.run("delegate", session)
    const pid = await pidIn(session, "inner")
    expect(await cancelTurn(session, {})).toMatchObject({ ended: true })
    expect(await turn).toMatchObject({ stop_reason: "cancelled" })
    await gone(pid)
    expect(live.wrongs()).toEqual([])
  })

  test("ends a command, and drops what was asked: OpenCode is told, and asks no more", async () => {
    const { live } = shared
    const script = [reply(bash("echo begun; sleep 600")), reply(bash("touch never")), "after"]
    const session = await live.open(script)
    const first = live.run("run", session)
    await live.allow(session)
    await live.until("item.delta", ({ data }) => data.part.type === "output", session)
    await cancelTurn(session, {})
    expect(await first).toMatchObject({ stop_reason: "cancelled" })
    expect(live.results(session)).toMatchObject([{ is_error: true }])
    const second = live.run("ask", session)
    await live.permission(2, session)
    await cancelTurn(session, {})
    expect(await second).toMatchObject({ stop_reason: "cancelled" })
    expect(await live.run("on", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.decisions(session)).toEqual([
      ["accept", "client"],
      ["cancelled", "turn cancelled"],
    ])
    expect(live.wrongs()).toEqual([])
  })
})
