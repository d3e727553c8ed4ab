import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fromMain, fromSubagent } from "@sandbox-agent/scripted-model/match"
import { gate, hang, hold, reply, text, toolCall } from "@sandbox-agent/scripted-model/script"
import { when } from "@sandbox-agent/scripted-model/step"
import { describe, expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { replyPermission } from "../../../src/core/replies.ts"
import type { Session } from "../../../src/core/session.ts"
import { patchSession } from "../../../src/core/settings.ts"
import type { Live } from "./live.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const options = { timeout: 180_000 }
const spawn = reply(toolCall("spawn_agent", { task_name: "sub_one", message: "look" }, { namespace: "collaboration" }))
const patch = reply(toolCall("apply_patch", "*** Begin Patch\n*** Add File: made\n+x\n*** End Patch"))
const run = (cmd: string) => reply(toolCall("exec_command", { cmd, yield_time_ms: 30_000 }))
const results = (live: Live, session: Session) =>
  live
    .items(session)
    .flatMap(({ content, late }) =>
      content.flatMap((part) => (part.type === "tool_result" ? [[part.output, part.detached, late]] : [])),
    )
const rests = (live: Live, session: Session, since: number) =>
  live.until("session.updated", ({ data, sequence }) => data.background === 0 && sequence > since, session)

describe("a sub-agent that goes on when the turn is over", options, () => {
  test.each([
    ["a command", run("touch made")],
    ["a patch", patch],
  ])("waits for the answer that it asked for before, for %s", async (_, asking) => {
    const { live } = shared
    const over = gate()
    const session = await live.open([
      when(fromMain(), spawn),
      when(fromMain(), reply(hold(over), text(["outer done"]))),
      when(fromSubagent(), asking),
      when(fromSubagent(), "inner done"),
    ])
    const turn = live.run("delegate", session)
    const { permission_id, turn_id } = await live.permission(1, session)
    over.open()
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    const since = session.log.last
    expect(turn_id).toBeUndefined()
    expect([session.status, session.record.background, [...session.requests.keys()]]).toEqual([
      ...["waiting", 1],
      [permission_id],
    ])
    await replyPermission(session, permission_id, "once")
    await rests(live, session, since)
    expect(existsSync(join(session.record.directory, "made"))).toBe(true)
    expect(live.of("permission.resolved", session).map(({ data }) => [data.status, data.by])).toEqual([
      ["accept", "client"],
    ])
    const goesOn = "The call goes on in the background."
    expect(results(live, session)).toMatchObject([
      ["sub_one has started", true, undefined],
      [goesOn, true, undefined],
      [expect.not.stringContaining(goesOn), undefined, true],
      ["inner done", undefined, true],
    ])
    expect(session.status).toBe("idle")
    expect(live.wrongs()).toEqual([])
  })

  test("takes back what it asked when it is told to end", async () => {
    const { live } = shared
    const session = await live.open([
      when(fromMain(), spawn),
      when(fromMain(), "outer done"),
      when(fromSubagent(), run("touch made")),
    ])
    await live.run("delegate", session)
    await live.permission(1, session)
    const since = session.log.last
    await cancelTurn(session, { background: true })
    await rests(live, session, since)
    expect(live.of("permission.resolved", session).map(({ data }) => data.status)).toEqual(["cancelled"])
    expect([session.status, existsSync(join(session.record.directory, "made"))]).toEqual(["idle", false])
    expect(live.wrongs()).toEqual([])
  })

  test("ends with a turn that is cancelled, and what it asked with it", async () => {
    const { live } = shared
    const session = await live.open([
      when(fromMain(), spawn),
      when(fromMain(), reply(text(["half ", hang()]))),
      when(fromSubagent(), run("touch made")),
    ])
    await live.post("delegate", {}, session)
    await live.permission(1, session)
    await live.until("item.delta", ({ data }) => data.delta === "half ", session)
    expect(await cancelTurn(session, {})).toMatchObject({ ended: true })
    await live.until("permission.resolved", ({ data }) => data.status === "cancelled", session)
    await expect.poll(() => [session.status, session.record.background]).toEqual(["idle", 0])
    live.script(session, ["here"])
    expect(await live.run("next", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })

  test("has its end before the thread is opened anew for what was changed meanwhile", async () => {
    const { live } = shared
    const over = gate()
    const session = await live.open(
      [
        when(fromMain(), spawn),
        when(fromMain(), reply(hold(over), text(["outer done"]))),
        when(fromSubagent(), run("touch began; until [ -e go-on ]; do sleep 0.05; done")),
        when(fromSubagent(), "inner done"),
      ],
      { permissionMode: "bypass" },
    )
    const turn = live.run("delegate", session)
    // By then the sub-agent is known to be at work.
    await live.until("item.started", ({ data }) => data.item.parent_id !== undefined, session)
    expect(await patchSession(session, { permissionMode: "default" })).toBe("reopen")
    over.open()
    await turn
    expect([session.process, session.record.background]).toEqual(["live", 1])
    writeFileSync(join(session.record.directory, "go-on"), "")
    await live.until("session.updated", ({ data }) => data.agent_process === "none", session)
    expect(results(live, session).at(-1)).toEqual(["inner done", undefined, true])
    live.script(session, ["here"])
    expect(await live.run("next", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })
})
