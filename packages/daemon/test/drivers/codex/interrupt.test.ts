import { existsSync } from "node:fs"
import { join } from "node:path"
import { fromMain, fromSubagent, userSays } from "@sandbox-agent/scripted-model/match"
import { gate, hang, hold, reply, text, toolCall } from "@sandbox-agent/scripted-model/script"
import { optional, when } from "@sandbox-agent/scripted-model/step"
import { describe, expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { lasting, pidIn } from "../lasting-command.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const options = { timeout: 180_000 }
const run = (cmd: string, yield_time_ms = 30_000) => reply(toolCall("exec_command", { cmd, yield_time_ms }))
const bypass = { permissionMode: "bypass" } as const

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
async function dies(pid: number): Promise<void> {
  while (alive(pid)) await Bun.sleep(10)
}

describe("an interrupt", options, () => {
  test("kills the running command, and the turn ends when it is dead", async () => {
    const { live } = shared
    const session = await live.open([run(lasting("pid"))], bypass)
    await live.post("go", {}, session)
    const pid = await pidIn(session, "pid")
    await live.until("item.delta", ({ data }) => data.part.type === "output", session)
    expect(await cancelTurn(session, {})).toMatchObject({ ended: true })
    await dies(pid)
    expect(live.of("turn.ended", session)[0]?.data).toMatchObject({ stop_reason: "cancelled" })
    expect(live.of("turn.ended", session)[0]?.data.forced).toBeUndefined()
    live.script(session, ["and on"])
    expect(await live.run("next", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.transcript(session)).toEqual([
      ...["user: go", "call exec_command"],
      expect.stringContaining("on\n"),
      ...["tool_result", "user: next", "assistant: and on"],
    ])
    expect(live.wrongs()).toEqual([])
  })

  test("leaves what earlier turns put into the background, which ends when it is told to", async () => {
    const { live } = shared
    const session = await live.open([run(lasting("first"), 250), "goes on", run(lasting("second"))], bypass)
    await live.run("go", session)
    const first = await pidIn(session, "first")
    expect(session.record.background).toBe(1)
    await live.post("more", {}, session)
    const second = await pidIn(session, "second")
    // A call that was not told yet leaves no result either.
    const calls = () => live.of("item.started", session).filter(({ data }) => data.item.kind === "tool_call")
    await live.until("item.started", () => calls().length === 2, session)
    await cancelTurn(session, {})
    await dies(second)
    expect([alive(first), session.record.background]).toEqual([true, 1])
    await cancelTurn(session, { background: true })
    await dies(first)
    await live.until("session.updated", ({ data }) => data.background === 0, session)
    const results = live
      .items(session)
      .flatMap(({ content, late }) =>
        content.flatMap((part) => (part.type === "tool_result" ? [[part.detached, late]] : [])),
      )
    expect(results).toEqual([
      ...[
        [true, undefined],
        [undefined, undefined],
      ],
      [undefined, true],
    ])
    expect(live.wrongs()).toEqual([])
  })

  test("cuts a text and keeps what was said; one at rest is nothing, and takes the next message", async () => {
    const { live } = shared
    const session = await live.open([reply(text(["half ", hang()]))], bypass)
    await live.post("go", {}, session)
    await live.until("item.delta", () => true, session)
    expect(await cancelTurn(session, {})).toMatchObject({ ended: true })
    expect(live.items(session).at(-1)).toMatchObject({ status: "failed", content: [{ text: "half " }] })
    await session.native?.interrupt()
    live.script(session, ["here"])
    expect(await live.run("next", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })

  test.each([
    ["a command", run("touch asked")],
    ["a patch", reply(toolCall("apply_patch", "*** Begin Patch\n*** Add File: asked\n+x\n*** End Patch"))],
  ])("takes back what was asked for %s, whose call has its end", async (_, asking) => {
    const { live } = shared
    const session = await live.open([asking, "and on"])
    await live.post("go", {}, session)
    await live.permission(1, session)
    expect(await cancelTurn(session, {})).toMatchObject({ ended: true })
    expect(live.of("permission.resolved", session).map(({ data }) => data.status)).toEqual(["cancelled"])
    expect(live.items(session).slice(1)).toMatchObject([
      { kind: "tool_call", status: "completed" },
      { kind: "tool_result", status: "failed" },
    ])
    expect(await live.run("next", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(existsSync(join(session.record.directory, "asked"))).toBe(false)
    expect(live.wrongs()).toEqual([])
  })

  test("before the turn has begun takes nothing with it but the message", async () => {
    const { live } = shared
    // What was said before comes with it where the model never heard it.
    const script = [when(userSays("next"), "here"), optional(when(userSays("go"), reply(text(["half ", hang()]))))]
    const session = await live.open(script, bypass)
    await live.post("go", {}, session)
    expect(await cancelTurn(session, {})).toMatchObject({ ended: true })
    const next = await live.post("next", {}, session)
    const ended = await live.until("turn.ended", ({ data }) => data.message_ids.includes(next), session)
    expect(ended.data.stop_reason).toBe("end_turn")
    expect(live.wrongs()).toEqual([])
  })

  test("reaches the sub-agents, too", async () => {
    const { live } = shared
    const agents = { namespace: "collaboration" }
    const session = await live.open(
      [
        when(fromMain(), reply(toolCall("spawn_agent", { task_name: "sub_one", message: "look" }, agents))),
        when(fromMain(), reply(toolCall("wait_agent", { timeout_ms: 60_000 }, agents))),
        when(fromSubagent(), run(lasting("inner"))),
      ],
      bypass,
    )
    await live.post("go", {}, session)
    const pid = await pidIn(session, "inner")
    // Told by then; a sub-agent of which nobody has heard yet goes on in the background.
    await live.until("item.started", ({ data }) => data.item.parent_id !== undefined, session)
    expect(await cancelTurn(session, {})).toMatchObject({ ended: true })
    await dies(pid)
    await expect.poll(() => session.record.background).toBe(0)
    expect(live.wrongs()).toEqual([])
  })
})

describe("a steered message", options, () => {
  test("is taken by the running turn, and cuts off what was being said", async () => {
    const { live } = shared
    const session = await live.open([reply(text(["half ", hang()])), "steered"], bypass)
    const turn = live.run("go", session)
    await live.until("item.delta", () => true, session)
    await live.post("other way", { delivery: "steer" }, session)
    expect(await turn).toMatchObject({ stop_reason: "end_turn", message_ids: [expect.any(String), expect.any(String)] })
    expect(live.transcript(session)).toEqual([
      ...["user: go", "assistant: half ", "user: other way", "assistant: steered"],
    ])
    expect(live.wrongs()).toEqual([])
  })

  test("that comes when the turn is over gets one of its own", async () => {
    const { live } = shared
    const middle = gate()
    const session = await live.open([reply(text(["first", hold(middle)])), "second"], bypass)
    const turn = live.run("go", session)
    await live.until("item.delta", () => true, session)
    middle.open()
    await turn
    const late = await live.post("late", { delivery: "steer" }, session)
    const ended = await live.until("turn.ended", ({ data }) => data.message_ids.includes(late), session)
    expect(ended.data).toMatchObject({ stop_reason: "end_turn", message_ids: [late] })
    expect(live.wrongs()).toEqual([])
  })
})
