import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { describe, expect, test } from "vitest"
import { replyPermission } from "../../../src/core/replies.ts"
import type { Session } from "../../../src/core/session.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { type Live, startLive } from "./live.ts"
import { labServer } from "./mcp-server.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const options = { timeout: 180_000 }
const run = (cmd: string, more: object = {}) => reply(toolCall("exec_command", { cmd, ...more }))
const patch = (...lines: string[]) =>
  reply(toolCall("apply_patch", ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")))
const there = (session: Session, name: string) => existsSync(join(session.record.directory, name))
const decided = (live: Live, session: Session) =>
  live.of("permission.resolved", session).map(({ data }) => [data.status, data.by])

describe("permissions", options, () => {
  test("every command is asked for, and its text is what always means", async () => {
    const { live } = shared
    const session = await live.open([run("touch a"), run("touch a"), run("touch b"), "done"])
    const turn = live.run("go", session)
    const asked = await live.permission(1, session)
    expect(asked).toMatchObject({
      kind: "command",
      detail: { command: "touch a" },
      choices: ["once", "always", "reject"],
    })
    expect(there(session, "a")).toBe(false)
    await replyPermission(session, asked.permission_id, "always")
    const other = await live.permission(3, session)
    expect(other.detail?.command).toBe("touch b")
    await replyPermission(session, other.permission_id, "reject", "not in my house")
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    expect([there(session, "a"), there(session, "b")]).toEqual([true, false])
    expect(decided(live, session)).toEqual([
      ...[
        ["accept_for_session", "client"],
        ["accept", "rule"],
      ],
      ["reject", "client"],
    ])
    expect(live.transcript(session)).toContain("result rejected by user: not in my house")
    // The model hears it too, and nothing is written that would outlive the session.
    expect(JSON.stringify(live.requests(session).at(-1)?.body.input)).toContain("not in my house")
    const rules = join(live.home, "rules")
    expect(existsSync(rules) ? readdirSync(rules) : []).toEqual([])
    expect(live.wrongs()).toEqual([])
  })

  test("a command that only reads is asked for as well; with bypass one that wants to leave a sandbox is refused and shown", async () => {
    const { live } = shared
    const session = await live.open([run("ls"), "done"])
    const turn = live.run("go", session)
    const asked = await live.permission(1, session)
    expect(asked.detail?.command).toBe("ls")
    await replyPermission(session, asked.permission_id, "once")
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    const leaving = { sandbox_permissions: "require_escalated", justification: "Please?" }
    const free = await live.open([run("touch a", leaving), "done"], { permissionMode: "bypass" })
    expect(await live.run("go", free)).toMatchObject({ stop_reason: "end_turn" })
    expect([live.of("permission.requested", free), there(free, "a")]).toEqual([[], false])
    expect(live.items(free).slice(1, 3)).toMatchObject([
      { kind: "tool_call", content: [{ name: "exec_command", title: "touch a" }] },
      { kind: "tool_result", status: "failed" },
    ])
    expect(live.wrongs()).toEqual([])
  })

  test("a patch is asked for with its diff; acceptEdits lets it pass and asks for the rest", async () => {
    const { live } = shared
    const steps = () => [patch("*** Add File: x.txt", "+x"), run("touch y"), "done"]
    const session = await live.open(steps())
    const turn = live.run("go", session)
    const asked = await live.permission(1, session)
    const path = join(session.record.directory, "x.txt")
    expect(asked).toMatchObject({ kind: "file_change", detail: { path } })
    expect(asked.detail?.diff).toContain("+x\n")
    await replyPermission(session, asked.permission_id, "reject")
    await replyPermission(session, (await live.permission(2, session)).permission_id, "reject")
    await turn
    expect([there(session, "x.txt"), there(session, "y")]).toEqual([false, false])
    expect(await patchSession(session, { permissionMode: "acceptEdits" })).toBe("now")
    live.script(session, steps())
    const second = live.run("again", session)
    await replyPermission(session, (await live.permission(4, session)).permission_id, "once")
    await second
    expect([there(session, "x.txt"), there(session, "y")]).toEqual([true, true])
    expect(decided(live, session).at(-2)).toEqual(["accept", "mode"])
    expect(live.wrongs()).toEqual([])
  })

  test("a mode that is chosen while something is asked decides it", async () => {
    const { live } = shared
    const session = await live.open([run("touch a"), run("touch b"), "done"])
    const turn = live.run("go", session)
    await live.permission(1, session)
    expect(await patchSession(session, { permissionMode: "bypass" })).toBe("now")
    await turn
    expect([there(session, "a"), there(session, "b")]).toEqual([true, true])
    expect(decided(live, session)).toEqual([
      ...[
        ["accept", "mode"],
        ["accept", "mode"],
      ],
    ])
    // From here on Codex itself does not ask.
    live.script(session, [run("touch c"), "done"])
    await live.run("more", session)
    expect([there(session, "c"), live.of("permission.requested", session).length]).toEqual([true, 2])
    expect(await patchSession(session, { permissionMode: "default" })).toBe("now")
    live.script(session, [run("touch d"), "done"])
    const last = live.run("last", session)
    await replyPermission(session, (await live.permission(3, session)).permission_id, "reject")
    await last
    expect(there(session, "d")).toBe(false)
    expect(live.wrongs()).toEqual([])
  })

  test("tools of MCP servers are asked for, those that only read are not", async () => {
    const { live } = shared
    const call = (name: string) => reply(toolCall(name, {}, { namespace: "mcp__lab" }))
    const mcp = { lab: labServer(live.directory) }
    const session = await live.open([call("look"), call("act"), call("act"), "done"], { mcp })
    const turn = live.run("go", session)
    const asked = await live.permission(1, session)
    expect(asked).toMatchObject({ kind: "tool", action: "mcp__lab__act", detail: { server: "lab", tool: "act" } })
    await replyPermission(session, asked.permission_id, "reject")
    await replyPermission(session, (await live.permission(2, session)).permission_id, "once")
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    expect(live.transcript(session)).toEqual([
      ...["user: go", "call mcp__lab__look", "result look done here", "call mcp__lab__act"],
      ...["result user rejected MCP tool call", "call mcp__lab__act", "result act done here", "assistant: done"],
    ])
    expect(live.wrongs()).toEqual([])
  })
})

describe("permission mode plan", options, () => {
  const attempts = () => [
    run("cat seen.txt"),
    run("touch a"),
    run("touch b", { sandbox_permissions: "require_escalated", justification: "Please?" }),
    patch("*** Add File: c.txt", "+c"),
    "done",
  ]

  async function cannotWrite(live: Live): Promise<void> {
    const session = await live.open(attempts(), { permissionMode: "plan" })
    await Bun.write(join(session.record.directory, "seen.txt"), "seen")
    expect(await live.run("plan it", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(readdirSync(session.record.directory)).toEqual(["seen.txt"])
    expect(decided(live, session).filter(([, by]) => by === "client")).toEqual([])
    expect(live.transcript(session)).toContain("result seen")
    // Each attempt is shown with what came of it.
    expect(live.transcript(session).filter((line) => line.startsWith("call")).length).toBe(4)
    expect(live.wrongs()).toEqual([])
  }

  test("cannot write, neither by patch nor by command, and reads", async () => {
    await cannotWrite(shared.live)
  })

  // A container as most are: no namespaces, and no rights to do without them.
  const bare = `echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set=-all --inh-caps=-all -- "$@"`
  const without = ["unshare", "-Ur", "sh", "-c", bare, "sh"]
  const possible = spawnSync(without[0] ?? "", [...without.slice(1), "true"]).status === 0
  test.skipIf(!possible)("cannot write where the system has no sandbox to offer", async () => {
    await using live = await startLive(without)
    await cannotWrite(live)
    const session = await live.open([run("cat seen.txt | sh"), "done"], { permissionMode: "plan" })
    await live.run("try", session)
    expect(decided(live, session)).toEqual([["reject", "mode"]])
  })
})
