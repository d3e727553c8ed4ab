import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fromMain, fromSubagent } from "@sandbox-agent/scripted-model/match"
import { cut, error, raw, reply, text, thinking, toolCall, usage, words } from "@sandbox-agent/scripted-model/script"
import { when } from "@sandbox-agent/scripted-model/step"
import { describe, expect, test } from "vitest"
import { replyPermission } from "../../../src/core/replies.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const options = { timeout: 180_000 }
const run = (cmd: string, more: object = {}) => toolCall("exec_command", { cmd, ...more })
const patch = (...lines: string[]) => toolCall("apply_patch", ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"))
const bypass = { permissionMode: "bypass" } as const

describe("a turn", options, () => {
  test("has reasoning, text, a command with its output and exit code, and usage by increments", async () => {
    const { live } = shared
    const first = reply(
      thinking(words("let me see")),
      text(words("I look")),
      run("echo hi; exit 3"),
      usage({ input: 50, cached: 10 }),
    )
    const session = await live.open([first, "done"], bypass)
    expect(await live.run("hello", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.transcript(session)).toEqual([
      ...["user: hello", "thinks: let me see", "assistant: I look"],
      ...["call exec_command", "result hi\n", "tool_result", "assistant: done"],
    ])
    const result = live.items(session).find(({ kind }) => kind === "tool_result")
    expect(result).toMatchObject({ status: "failed", content: [{ is_error: true }, { json: { exitCode: 3 } }] })
    const call = live.items(session).find(({ kind }) => kind === "tool_call")?.content[0]
    expect(call).toMatchObject({ kind: "execute", title: "echo hi; exit 3" })
    expect(session.record.usage).toMatchObject({ input_tokens: 150, cached_tokens: 10, context_used: 120 })
    expect(live.wrongs()).toEqual([])
  })

  test("changes files and shows each with its diff, and all of them at its end", async () => {
    const { live } = shared
    const session = await live.open([], bypass)
    writeFileSync(join(session.record.directory, "old.txt"), "one\ntwo\n")
    const change = patch("*** Update File: old.txt", "@@", "-two", "+three", "*** Add File: new.txt", "+fresh")
    live.script(session, [reply(change), reply(patch("*** Delete File: old.txt")), "done"])
    await live.run("edit", session)
    const refs = live.items(session).flatMap(({ content }) => content.filter((part) => part.type === "file_ref"))
    // The files of one patch come in any order.
    const shown = refs.map(({ path, action, diff }) => [
      path.split("/").at(-1),
      action,
      diff?.split("\n").slice(2).join("\n"),
    ])
    expect(shown.toSorted()).toEqual([
      ["new.txt", "write", "@@ -0,0 +1,1 @@\n+fresh\n"],
      ["old.txt", "patch", "@@ -1,2 +0,0 @@\n-one\n-three\n"],
      ["old.txt", "patch", "@@ -1,2 +1,2 @@\n one\n-two\n+three\n"],
    ])
    expect(readFileSync(join(session.record.directory, "new.txt"), "utf8")).toBe("fresh\n")
    expect(existsSync(join(session.record.directory, "old.txt"))).toBe(false)
    expect(live.labels(session)).toEqual(["codex.turn_diff"])
    expect(live.wrongs()).toEqual([])
  })

  test("shows calls that fail before they run, once each, and those that run but once", async () => {
    const { live } = shared
    const bad = patch("*** Update File: nowhere.txt", "@@", "-a", "+b")
    const session = await live.open(
      [reply(toolCall("no_such_tool", { a: 1 })), reply(bad), reply(run("echo ran")), "done"],
      bypass,
    )
    await live.run("try", session)
    expect(live.transcript(session)).toEqual([
      ...["user: try", "call no_such_tool", "result unsupported call: no_such_tool", "call apply_patch"],
      expect.stringContaining("result apply_patch verification failed"),
      ...["call exec_command", "result ran\n", "tool_result", "assistant: done"],
    ])
    const results = live.items(session).filter(({ kind }) => kind === "tool_result")
    expect(results.map(({ status }) => status)).toEqual(["failed", "failed", "completed"])
    expect(live.wrongs()).toEqual([])
  })

  test("tells its plan as it changes, and searches of the web", async () => {
    const { live } = shared
    const plan = (status: string) => toolCall("update_plan", { plan: [{ step: "Look", status }] })
    const search = {
      type: "web_search_call",
      id: "ws_1",
      status: "completed",
      action: { type: "search", query: "rain" },
    }
    const found = raw(
      "openai-responses",
      { type: "response.output_item.added", output_index: 0, item: search },
      { type: "response.output_item.done", output_index: 0, item: search },
    )
    const session = await live.open(
      [reply(plan("in_progress")), reply(plan("completed")), reply(found, text("wet"))],
      bypass,
    )
    await live.run("plan", session)
    const plans = live.of("plan.updated", session).map(({ data }) => data.entries)
    expect(plans).toEqual([[{ content: "Look", status: "in_progress" }], [{ content: "Look", status: "completed" }]])
    expect(live.transcript(session)).toContain("call web_search")
    expect(live.transcript(session).at(-1)).toBe("assistant: wet")
    expect(live.wrongs()).toEqual([])
  })

  test("has sub-agents whose items hang on their call, and whose end is its result", async () => {
    const { live } = shared
    const agents = { namespace: "collaboration" }
    const session = await live.open(
      [
        when(fromMain(), reply(toolCall("spawn_agent", { task_name: "sub_one", message: "look" }, agents))),
        when(fromMain(), reply(toolCall("wait_agent", { timeout_ms: 20_000 }, agents))),
        when(fromMain(), "outer done"),
        when(fromSubagent(), reply(run("echo inner"))),
        when(fromSubagent(), "inner done"),
      ],
      bypass,
    )
    await live.run("delegate", session)
    // Each thread is told of by itself: the end of the sub-agent may come behind that of the turn.
    await live.until(
      "item.completed",
      ({ data }) => data.item.content.some((part) => part.type === "tool_result" && part.output === "inner done"),
      session,
    )
    const spawn = live.items(session).find(({ kind }) => kind === "tool_call")
    const inner = live.items(session).filter(({ parent_id }) => parent_id === spawn?.item_id)
    expect(inner.flatMap(({ content }) => content.map(({ type }) => type))).toEqual([
      ...["tool_call", "tool_result", "json", "text"],
    ])
    const ends = live
      .items(session)
      .flatMap(({ content }) =>
        content.flatMap((part) =>
          part.type === "tool_result" && part.call_id === spawn?.native_item_id ? [part] : [],
        ),
      )
    expect(ends.map(({ detached, output }) => [detached, output])).toEqual([
      ...[
        [true, "sub_one has started"],
        [undefined, "inner done"],
      ],
    ])
    expect(live.wrongs()).toEqual([])
  })

  test("of a newer model, which calls all tools from a program, shows what the program did", async () => {
    const { live } = shared
    const program = (text: string) => reply(toolCall("exec", text, { kind: "custom" }))
    const steps = [
      program('const r = await tools.exec_command({cmd: "echo inner"}); text(r);'),
      program("text(String(6 * 7));"),
      "done",
    ]
    const session = await live.open(steps, { model: "gpt-6.1-sol" })
    const turn = live.run("compute", session)
    const { permission_id, detail } = await live.permission(1, session)
    expect(detail?.command).toBe("echo inner")
    await replyPermission(session, permission_id, "once")
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    expect(live.transcript(session)).toEqual([
      ...["user: compute", "call exec_command", "result inner\n", "tool_result"],
      ...["call exec", expect.stringContaining("42"), "assistant: done"],
    ])
    expect(live.wrongs()).toEqual([])
  })

  test("is compacted and reviewed by commands", async () => {
    const { live } = shared
    const finding = {
      findings: [],
      overall_correctness: "patch is correct",
      overall_explanation: "All well.",
      overall_confidence_score: 1,
    }
    const session = await live.open(["one"], bypass)
    await live.run("first", session)
    expect(await live.run("/compact", session)).toMatchObject({ stop_reason: "end_turn" })
    live.script(session, [JSON.stringify(finding)])
    expect(await live.run("/review the readme", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.labels(session)).toEqual(["codex.context_compaction", "codex.review_started", "codex.review_ended"])
    expect(live.transcript(session).at(-1)).toContain("All well.")
    const commands = live.of("session.updated", session).flatMap(({ data }) => data.commands ?? [])
    expect(commands.map(({ name }) => name)).toEqual(["compact", "review"])
    live.script(session, ["after"])
    await live.run("and on", session)
    expect(live.transcript(session).at(-1)).toBe("assistant: after")
    expect(live.wrongs()).toEqual([])
  })
})

describe("errors of the model", options, () => {
  const errors = [
    ["a bad request", error(400, "no such thing"), "invalid_request", "no such thing"],
    ["an overloaded server", error(503, "busy", { code: "server_is_overloaded" }), "overloaded", ""],
    ["a used up quota", error(429, "no more", { code: "insufficient_quota" }), "usage_limit", ""],
  ] as const
  test.each(errors)("%s ends the turn", async (_, answer, code, words) => {
    const { live } = shared
    const session = await live.open([answer, "fine"], bypass)
    const ended = await live.run("try", session)
    expect(ended).toMatchObject({ stop_reason: "error", error: { code } })
    expect(ended.error?.message).toContain(words)
    expect(live.of("error", session).map(({ data }) => data.code)).toEqual([code])
    expect(await live.run("again", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })

  test("an answer that is cut is said again, and its half marked as such", async () => {
    const { live } = shared
    const session = await live.open([reply(text("half of", { open: true }), cut()), "whole"], bypass)
    expect(await live.run("say", session)).toMatchObject({ stop_reason: "end_turn" })
    const answers = live.items(session).filter(({ role }) => role === "assistant")
    expect(answers.map(({ metadata }) => metadata?.reason)).toEqual(["retried", undefined])
    expect(live.labels(session)).toEqual(["codex.retry"])
    expect(live.wrongs()).toEqual([])
  })
})
