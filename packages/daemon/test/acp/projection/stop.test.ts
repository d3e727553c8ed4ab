import { errorCodes, SandboxAgentError } from "@sandbox-agent/schema/error"
import type { EventData } from "@sandbox-agent/schema/event"
import { describe, expect, test } from "vitest"
import { codeOf, rpcError } from "../../../src/faces/acp/projection/rpc-error.ts"
import { messageAnswer, turnAnswer } from "../../../src/faces/acp/projection/stop.ts"
import { wrongs } from "./protocol-schema.ts"

const turn = (more: Partial<EventData<"turn.ended">>): EventData<"turn.ended"> => ({
  phase: "ended",
  turn_id: "turn_1",
  message_ids: ["msg_1", "msg_2"],
  stop_reason: "end_turn",
  ...more,
})
const message = (more: Partial<EventData<"message.updated">>): EventData<"message.updated"> => ({
  message_id: "msg_1",
  state: "queued",
  delivery: "queue",
  ...more,
})

describe("the answer to a prompt", () => {
  test.each(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"] as const)("%s", (stopReason) => {
    const answer = turnAnswer(turn({ stop_reason: stopReason }), "msg_2")
    const place = { turnId: "turn_1", messageId: "msg_2", messageIds: ["msg_1", "msg_2"] }
    expect(answer).toEqual({ result: { stopReason, _meta: { "sandboxagent.dev": place } } })
    expect("result" in answer && wrongs("PromptResponse", answer.result)).toEqual([])
  })

  test("tells what the turn used, and that it was forced to end", () => {
    const usage = { input_tokens: 10, output_tokens: 5, cached_tokens: 7, reasoning_tokens: 2, context_used: 9 }
    const answer = turnAnswer(turn({ stop_reason: "cancelled", forced: true, usage, cost_usd: 0.5 }), "msg_1")
    expect(answer).toMatchObject({
      result: {
        usage: { totalTokens: 15, inputTokens: 10, outputTokens: 5, cachedReadTokens: 7, thoughtTokens: 2 },
        _meta: { "sandboxagent.dev": { forced: true, costUsd: 0.5 } },
      },
    })
    const bare = turnAnswer(turn({ usage: { input_tokens: 1, output_tokens: 1 } }), "msg_1")
    expect("result" in bare && bare.result.usage).toEqual({ totalTokens: 2, inputTokens: 1, outputTokens: 1 })
  })

  const failures: [string, number][] = [
    ["agent_process_exited", -32603],
    ["authentication_failed", -32000],
    ["rate_limited", -32603],
    ["daemon_restarted", -32603],
    ["not_supported", -32601],
    ["toString", -32603],
  ]
  test.each(failures)("of a turn that failed with %s is error %i", (code, expected) => {
    const error = { code, message: "it broke", exit_code: 3, signal: "SIGTERM" }
    const answer = turnAnswer(turn({ stop_reason: "error", error }), "msg_1")
    expect(answer).toMatchObject({
      error: {
        code: expected,
        message: "it broke",
        data: { code, exitCode: 3, signal: "SIGTERM", turnId: "turn_1", messageId: "msg_1" },
      },
    })
    expect("error" in answer && wrongs("Error", answer.error)).toEqual([])
  })

  test("a turn that failed without a word is an error all the same", () => {
    expect(turnAnswer(turn({ stop_reason: "error" }), "msg_1")).toMatchObject({ error: { code: -32603 } })
  })

  test("of a message that is taken back is cancelled, of one that failed its error", () => {
    expect(messageAnswer(message({ state: "withdrawn" }))).toMatchObject({ result: { stopReason: "cancelled" } })
    const error = { code: "timeout", message: "too late" }
    expect(messageAnswer(message({ state: "failed", error }))).toMatchObject({
      error: { code: -32603, message: "too late", data: { code: "timeout", messageId: "msg_1" } },
    })
    expect(messageAnswer(message({ state: "failed" }))).toMatchObject({ error: { code: -32603 } })
    for (const state of ["queued", "sending", "taken"] as const)
      expect(messageAnswer(message({ state }))).toBeUndefined()
  })
})

describe("errors", () => {
  test("every code has one of the few that JSON-RPC and ACP know", () => {
    expect(new Set(Object.keys(codeOf))).toEqual(new Set(errorCodes))
    const known = [-32600, -32601, -32602, -32603, -32000, -32002]
    for (const code of errorCodes) {
      const error = rpcError(new SandboxAgentError(code, "because", { sessionId: "one" }))
      expect(known, code).toContain(error.code)
      expect(error).toMatchObject({ message: "because", data: { code, sessionId: "one", hint: expect.any(String) } })
      expect(wrongs("Error", error)).toEqual([])
    }
  })

  test("the context never hides the code", () => {
    expect(rpcError(new SandboxAgentError("conflict", "x", { code: "other" })).data?.code).toBe("conflict")
  })

  test("what is not ours says nothing of the inside", () => {
    const error = rpcError(new TypeError("secret of the house"))
    expect(error.code).toBe(-32603)
    expect(JSON.stringify(error)).not.toContain("secret")
  })
})
