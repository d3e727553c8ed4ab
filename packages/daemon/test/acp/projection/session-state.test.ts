import { describe, expect, test } from "vitest"
import type { Sources } from "../../../src/faces/acp/projection/sources.ts"
import { event } from "./event.ts"
import { notices, ours, plain, updates } from "./event-updates.ts"

describe("the session", () => {
  const catalog = { modes: [{ id: "plan", name: "Plan" }], models: [{ id: "m", name: "M", variants: ["low", "high"] }] }
  const sources: Sources = {
    options: () => ({
      settings: { agentMode: "build", permissionMode: "default", model: "old", variant: "x" },
      catalog,
    }),
  }

  test("has a title", () => {
    expect(updates(event("session.updated", { title: "T" }))).toEqual([
      { sessionUpdate: "session_info_update", title: "T", updatedAt: "2026-01-01T00:00:00.000Z" },
    ])
    expect(updates(event("session.updated", { metadata: { team: "a" } }))).toMatchObject([
      ours({ metadata: { team: "a" } }),
    ])
  })

  test("has settings: the mode by its own update, everything by the complete list", () => {
    const changed = event("session.updated", { agent_mode: "plan", model: "m" })
    const [mode, options] = updates(changed, plain, undefined, sources)
    expect(mode).toEqual({ sessionUpdate: "current_mode_update", currentModeId: "plan" })
    expect(options).toMatchObject({
      sessionUpdate: "config_option_update",
      configOptions: [
        { id: "mode", currentValue: "plan" },
        { id: "model", currentValue: "m" },
        { id: "variant", currentValue: "default" },
        { id: "permission_mode", currentValue: "default" },
      ],
    })
    expect(updates(changed)[1]).toMatchObject(ours({ settings: { agentMode: "plan", model: "m" } }))
  })

  test("has commands", () => {
    const commands = [
      { name: "go", hint: "WHERE" },
      { name: "stop", description: "Stops" },
    ]
    expect(updates(event("session.updated", { commands }))).toEqual([
      {
        sessionUpdate: "available_commands_update",
        availableCommands: [
          { name: "go", description: "", input: { hint: "WHERE" } },
          { name: "stop", description: "Stops", input: null },
        ],
      },
    ])
  })

  test("has a state of its own that ACP v1 does not speak of", () => {
    expect(updates(event("session.updated", { status: "idle", background: 1, agent_process: "live" }))).toEqual([])
    expect(updates(event("session.started", {}))).toEqual([])
    expect(updates(event("agent.native", { method: "x" }))).toEqual([])
  })

  test("has a plan, with priorities that ACP knows", () => {
    const entry = { content: "do", status: "pending" as const }
    const entries = [entry, { ...entry, priority: "high" }, { ...entry, priority: "urgent" }]
    expect(updates(event("plan.updated", { entries }))).toMatchObject([
      { sessionUpdate: "plan", entries: [{ priority: "medium" }, { priority: "high" }, { priority: "medium" }] },
    ])
  })

  test("has a usage, of the context where that is known", () => {
    const tokens = { input_tokens: 1, output_tokens: 2 }
    const known = { ...tokens, context_used: 10, context_size: 100, cost_usd: 0.5 }
    const usage = { inputTokens: 1, outputTokens: 2 }
    expect(updates(event("usage.updated", known))).toMatchObject([
      {
        sessionUpdate: "usage_update",
        used: 10,
        size: 100,
        cost: { amount: 0.5, currency: "USD" },
        ...ours({ usage }),
      },
    ])
    for (const part of [tokens, { ...tokens, context_used: 10 }, { ...known, context_size: 0.5 }])
      expect(updates(event("usage.updated", part))).toMatchObject([
        { sessionUpdate: "session_info_update", ...ours({ usage }) },
      ])
  })

  test("has errors", () => {
    const error = { message: "no net", code: "x" }
    expect(updates(event("error", error), notices)).toMatchObject([
      { sessionUpdate: "notice", severity: "error", title: "no net" },
    ])
    expect(updates(event("error", error))).toMatchObject([ours({ error })])
    expect(updates(event("error", { message: "" }), notices)).toMatchObject([{ sessionUpdate: "session_info_update" }])
    const ended = { phase: "ended" as const, turn_id: "t", message_ids: [], stop_reason: "error" as const }
    expect(updates(event("turn.ended", { ...ended, error: { code: "x", message: "dead" } }))).toMatchObject([
      ours({ turn: { id: "t", stopReason: "error", error: { code: "x", message: "dead" } } }),
    ])
    expect(updates(event("turn.ended", { ...ended, stop_reason: "end_turn" }))).toEqual([])
  })

  test("has an end, and lines that nobody could read", () => {
    const stderr = { head: "boom", truncated: false, total_lines: 1 }
    const data = { reason: "error", terminated_by: "agent", message: "lost", exit_code: 3, stderr } as const
    expect(updates(event("session.ended", data))).toEqual([
      {
        method: "_sandboxagent/session/ended",
        sessionId: "one",
        reason: "error",
        terminatedBy: "agent",
        message: "lost",
        exitCode: 3,
        stderr: { head: "boom", tail: undefined, truncated: false, totalLines: 1 },
      },
    ])
    const unparsed = event("agent.unparsed", { error: "e", location: "l", raw_hash: "h" }, { raw: "{oops" })
    expect(updates(unparsed)).toEqual([
      {
        method: "_sandboxagent/agent/unparsed",
        sessionId: "one",
        error: "e",
        location: "l",
        rawHash: "h",
        raw: "{oops",
      },
    ])
  })
})
