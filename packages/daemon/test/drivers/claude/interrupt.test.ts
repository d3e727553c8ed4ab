import { existsSync } from "node:fs"
import { fromMain, fromSubagent, userSays } from "@sandbox-agent/scripted-model/match"
import { hang, reply, text, toolCall } from "@sandbox-agent/scripted-model/script"
import { optional, when } from "@sandbox-agent/scripted-model/step"
import { versions } from "@sandbox-agent/test-agents/claude"
import { describe, expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { gone } from "../../supervisor/processes.ts"
import { cancelledEarly } from "../cancelled-early.ts"
import { lasting, pidIn } from "../lasting-command.ts"
import { startLive } from "./live.ts"

const slow = reply(toolCall("Bash", { command: "touch begun; until [ -e never ]; do sleep 0.05; done" }))

describe.each(versions)("claude %s", (version) => {
  test("in the middle of a text: what was said stays, and the session goes on", async () => {
    await using live = await startLive([reply(text(["Once upon ", "a time", hang()])), "fine"], { version })
    const turn = live.run("tell me")
    await live.until("item.delta", ({ data }) => data.delta === "a time")
    expect(await cancelTurn(live.session, {})).toMatchObject({ ended: true })
    expect(await turn).toMatchObject({ stop_reason: "cancelled" })
    expect((await turn).forced).toBeUndefined()
    const said = live.items().at(-1)
    expect(said).toMatchObject({ status: "failed", content: [{ text: "Once upon a time" }] })
    await live.run("next")
    expect(live.transcript().slice(-2)).toEqual(["user: next", "assistant: fine"])
    expect(live.of("error")).toEqual([])
    expect(live.wrongs()).toEqual([])
  })

  test("in the middle of a tool, and while a permission waits; a steered message comes back and goes next", async () => {
    await using live = await startLive([slow, "after tool", slow, "at last"], { version })
    const turn = live.run("run it")
    await live.reply((await live.permission()).permission_id, "once")
    await expect.poll(() => existsSync(live.file("begun"))).toBe(true)
    const steered = await live.post("and this", { delivery: "steer" })
    expect(await cancelTurn(live.session, {})).toMatchObject({ ended: true })
    expect(await turn).toMatchObject({ stop_reason: "cancelled" })
    await live.until("turn.ended", ({ data }) => data.message_ids.includes(steered))

    const second = live.run("again")
    await live.permission(2)
    await cancelTurn(live.session, {})
    expect(await second).toMatchObject({ stop_reason: "cancelled" })
    expect(live.of("permission.resolved").at(-1)?.data.status).toBe("cancelled")
    await live.run("go on")
    expect(live.wrongs()).toEqual([])
  })

  test("before it has the message: neither that nor the interrupt is sent", async () => {
    await using live = await startLive(["fine"], { version })
    expect(await cancelledEarly(live, live.session)).toEqual([])
    expect(live.of("turn.ended").map(({ data }) => [data.stop_reason, data.forced])).toEqual([["cancelled", undefined]])
    expect(await live.run("next")).toMatchObject({ stop_reason: "end_turn" })
    expect(live.transcript()).toEqual(["user: next", "assistant: fine"])
    expect(live.wrongs()).toEqual([])
  })

  test("in the middle of a sub-agent: its command ends as well", async () => {
    const agent = { description: "Sub", prompt: "Do it", subagent_type: "general-purpose", run_in_background: false }
    const script = [
      when(fromMain(), reply(toolCall("Agent", agent))),
      when(fromSubagent(), reply(toolCall("Bash", { command: lasting("inner") }))),
    ]
    await using live = await startLive(script, { version, create: { permissionMode: "bypass" } })
    const turn = live.run("delegate")
    const pid = await pidIn(live.session, "inner")
    expect(await cancelTurn(live.session, {})).toMatchObject({ ended: true })
    expect(await turn).toMatchObject({ stop_reason: "cancelled" })
    await gone(pid)
    expect(live.session.record.background).toBe(0)
    expect(live.wrongs()).toEqual([])
  })

  test("before Claude Code has begun", async () => {
    // What was said before comes with it where the model never heard it.
    const script = [when(userSays("next"), "fine"), optional(when(userSays("never mind"), reply(hang())))]
    await using live = await startLive(script, { version })
    const id = await live.post("never mind")
    await live.until("turn.started")
    expect(await cancelTurn(live.session, {})).toMatchObject({ ended: true })
    const { data } = await live.until("turn.ended", ({ data }) => data.message_ids.includes(id))
    expect(data).toMatchObject({ stop_reason: "cancelled" })
    expect(data.forced).toBeUndefined()
    await live.run("next")
    expect(live.transcript().at(-1)).toBe("assistant: fine")
    expect(live.wrongs()).toEqual([])
  })
})
