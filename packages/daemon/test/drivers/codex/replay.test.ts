import { readdirSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { recorded, replay } from "./replay.ts"

const names = readdirSync(new URL("../../fixtures/codex/", import.meta.url))
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(/\.jsonl$/, ""))

describe("every recorded transcript makes a sound log", () => {
  test.each(names)("%s", async (name) => {
    for (const run of recorded(name)) {
      await using stage = await replay(run)
      expect(stage.wrongs()).toEqual([])
    }
  })
})

const played = async (name: string) => replay(recorded(name)[0] ?? [])
const said = (lines: string[]) => lines.filter((line) => !line.startsWith("user:"))

describe("and the log says what happened", () => {
  const transcripts: Record<string, string[]> = {
    text: ["assistant: Hello from the scripted model."],
    reasoning: [
      ...["thinks: **Thinking about it**\n\nFirst part.", "thinks: **Second**\n\nMore."],
      ...["thinks: raw chain of thought here", "assistant: Answer after reasoning."],
    ],
    // Items of several commands come mixed.
    parallel_cmds: [
      ...["call exec_command", "call exec_command", "result B\nB2\n", "tool_result"],
      ...["result A\nA2\n", "tool_result", "assistant: two done"],
    ],
    mcp_decline: [
      ...["call mcp__labmcp__fail", "result user rejected MCP tool call"],
      ...["call mcp__labmcp__fail", "result user rejected MCP tool call", "assistant: mcpfail2 done"],
    ],
    websearch: ["call web_search", "result weather seattle", "assistant: It rains."],
    misc: [
      ...["assistant: unknown done", "call view_image", "result /workspace/pixel.png", "image", "assistant: seen"],
    ],
    review: ["assistant: One bug.\n\nReview comment:\n\n- [P1] Bug — /w/README.md:1-1\n  Something"],
    // Steered in the middle of an answer, which is left as it is.
    steer: [
      ...["assistant: w0 ", "assistant: Hello from the scripted model."],
      ...["assistant: w0 ", "assistant: Hello from the scripted model."],
    ],
    // A call that has no item, seen in the raw stream.
    raw_events_sandbox_denied: [
      ...["call exec_command", "result touch: cannot touch '/opt/lab-outside': Read-only file system\n", "tool_result"],
      "assistant: touch finished",
    ],
    subagent: [
      ...["call spawn_agent", "result sub_one has started", "tool_result", "  call wait_agent", "call wait_agent"],
      ...["result completed", "  result completed", "  assistant: spawn2 done", "assistant: spawn2 done"],
      "result spawn2 done",
    ],
    background_terminal: [
      ...["call exec_command", "assistant: bg done", "result The command goes on in the background."],
      ...["result started\n", "tool_result"],
    ],
  }
  test.each(Object.keys(transcripts))("%s", async (name) => {
    await using stage = await played(name)
    expect(said(stage.transcript())).toEqual(transcripts[name])
  })

  const errors = [
    ["error_400", "invalid_request"],
    ["error_401", "authentication_failed"],
    ["error_429", "rate_limited"],
    ["error_500", "server_error"],
    ["error_503", "overloaded"],
    ["error_connection_refused", "connection_failed"],
    ["error_ctx", "prompt_too_long"],
    ["error_cyber", "policy_violation"],
    ["error_disc", "connection_failed"],
    ["error_fail", "rate_limited"],
    ["error_quota", "usage_limit"],
    ["error_usage", "usage_limit"],
    ["error_flaky", undefined],
  ] as const
  test.each(errors)("%s ends with %s", async (name, code) => {
    await using stage = await played(name)
    expect(stage.of("turn.ended").at(-1)?.data.error?.code).toBe(code)
    expect(stage.of("error").map(({ data }) => data.code)).toEqual(code === undefined ? [] : [code])
  })

  test("an answer that is said again is marked, and its half is not the answer", async () => {
    await using stage = await played("error_flaky")
    const answers = stage.items().filter(({ role }) => role === "assistant")
    expect(answers.map(({ status, metadata }) => [status, metadata?.reason])).toEqual([
      ...[
        ["failed", "retried"],
        ["failed", "retried"],
      ],
      ["completed", undefined],
    ])
  })

  test("an answer that was too long ends for that reason", async () => {
    await using stage = await played("error_inc")
    expect(stage.of("turn.ended")[0]?.data).toMatchObject({ stop_reason: "max_tokens" })
  })

  test("what is declined is refused and the turn goes on; what is asked has its diff", async () => {
    await using stage = await played("approval_file_decline")
    expect(stage.of("permission.requested")[0]?.data).toMatchObject({ kind: "file_change", action: "apply_patch" })
    const { diff } = stage.of("permission.requested")[0]?.data.detail ?? {}
    expect(diff).toContain("--- /dev/null\n+++ b/workspace/hello.txt\n@@ -0,0 +1,2 @@\n+hello\n+world\n")
    expect(said(stage.transcript())).toEqual(["call apply_patch", "result rejected by user", "assistant: Patched."])
  })

  test("approvals of MCP tools are permissions, forms of MCP servers are questions", async () => {
    await using stage = await played("mcp")
    expect(stage.of("permission.requested").map(({ data }) => [data.kind, data.action])).toEqual([
      ["tool", "mcp__labmcp__fail"],
    ])
    expect(stage.of("question.resolved").map(({ data }) => [data.prompt, data.answers])).toEqual([
      ["Your name?", [["Ann"]]],
    ])
  })

  test("questions come in both modes, with a call and a result of their own", async () => {
    for (const name of ["ask_user_plan_mode", "ask_user_default_mode"]) {
      await using stage = await played(name)
      expect(stage.of("question.resolved").map(({ data }) => data.status)).toEqual(["answered"])
      expect(stage.transcript().find((line) => line.startsWith("result"))).toContain('{"answers":{"db":')
    }
  })

  test("plans are told as they change, a proposed one is an answer", async () => {
    await using updates = await played("plan_update")
    const plans = updates.of("plan.updated").map(({ data }) => data.entries.map(({ status }) => status))
    expect(plans.length).toBe(2)
    expect(plans.at(-1)).toContain("completed")
    await using proposed = await played("ask_user_plan_mode")
    expect(proposed.transcript()).toContain("assistant: # Plan\n- step one\n- step two\n")
  })

  test("interrupts end the turn and the commands with it", async () => {
    await using stage = await played("interrupt")
    expect(stage.of("turn.ended").map(({ data }) => data.stop_reason)).toEqual(["cancelled", "cancelled", "end_turn"])
    await using pending = await played("interrupt_pending_approval")
    expect(pending.of("permission.resolved").map(({ data }) => data.status)).toEqual(["cancelled"])
  })

  test("a command that outlives its turn is background work until it ends", async () => {
    await using stage = await played("background_terminal")
    expect(stage.of("session.updated").flatMap(({ data }) => data.background ?? [])).toEqual([1, 0])
    expect(stage.items().at(-1)).toMatchObject({ kind: "tool_result", late: true })
  })

  test("what a sub-agent does hangs on the call that started it", async () => {
    await using stage = await played("subagent")
    const call = stage.items().find(({ kind }) => kind === "tool_call")
    const inner = stage.items().filter(({ parent_id }) => parent_id === call?.item_id)
    expect(inner.map(({ kind }) => kind)).toEqual(["tool_call", "tool_result", "message"])
  })

  test("after kill -9 the next message resumes the thread", async () => {
    await using stage = await played("resume_after_kill9")
    const ends = stage.of("turn.ended").map(({ data }) => data.error?.code ?? data.stop_reason)
    expect(ends).toEqual(["end_turn", "end_turn", "agent_process_exited", "end_turn"])
  })

  test("the changes of a turn are told once, at its end", async () => {
    await using stage = await played("filechange")
    expect(stage.labels()).toEqual(["codex.turn_diff", "codex.turn_diff", "codex.turn_diff"])
  })

  test("usage is an increment, and a server that did not start is told", async () => {
    await using stage = await played("text")
    expect(stage.session.record.usage).toMatchObject({ input_tokens: 100, output_tokens: 20, context_size: 258_400 })
    await using failed = await played("mcp_startup_failure")
    expect(failed.labels()).toEqual(["codex.mcp_failed"])
  })
})
