import type { ContentPart, Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { describe, expect, test } from "vitest"
import { replay } from "../../../src/faces/acp/projection/replay.ts"
import { traitsKey, traitsOf } from "../../../src/faces/acp/projection/traits.ts"
import { item } from "./event.ts"
import { notices, ours } from "./event-updates.ts"
import { wrongEnvelopes } from "./protocol-schema.ts"

describe("a transcript", () => {
  const shown = (...items: Item[]) => {
    const envelopes = replay(items, notices, "one")
    expect(wrongEnvelopes(envelopes, "one")).toEqual([])
    return envelopes.map(({ params }) => ("update" in params ? (params.update as Record<string, unknown>) : {}))
  }

  test("tells open items as far as they have come", () => {
    const open = { status: "in_progress" as const }
    const call: ContentPart = { type: "tool_call", name: "Bash", arguments: '{"a', call_id: "c" }
    const result: ContentPart = { type: "tool_result", call_id: "c", output: "so far" }
    expect(
      shown(
        item({ ...open, content: [{ type: "text", text: "half a" }] }),
        item({ ...open, kind: "tool_call", content: [call] }),
        item({ ...open, kind: "tool_result", content: [result] }),
      ),
    ).toMatchObject([
      { sessionUpdate: "agent_message_chunk", content: { text: "half a" } },
      { sessionUpdate: "tool_call", status: "pending" },
      { sessionUpdate: "tool_call_update", status: "in_progress", ...ours({ output: "so far" }) },
    ])
  })

  test("leaves out what the agent said again, and repeats no notices", () => {
    const text: ContentPart[] = [{ type: "text", text: "x" }]
    expect(shown(item({ status: "failed", metadata: { reason: "retried" }, content: text }))).toEqual([])
    expect(shown(item({ kind: "system", content: text }))).toMatchObject([{ sessionUpdate: "session_info_update" }])
    expect(shown(item({ status: "failed", metadata: { reason: "cancelled" }, content: text }))).toHaveLength(1)
  })

  test("cuts a long text into messages no larger than deltas, never through a character", () => {
    const whole = "é🎉".repeat(limits.deltaBytes)
    const texts = shown(item({ content: [{ type: "text", text: whole }] })).map(({ content }) =>
      String((content as { text: string }).text),
    )
    expect(texts.join("")).toBe(whole)
    expect(texts.every((text) => text.length <= limits.deltaBytes && text.isWellFormed())).toBe(true)
  })
})

test("traits are what a client says, and nothing else", () => {
  expect(traitsOf({})).toEqual({ version: 1, form: false, url: false, notices: false })
  for (const bad of [undefined, null, 1, "x", [], { elicitation: [], session: null, _meta: { terminal_output: 1 } }])
    expect(traitsOf(bad)).toEqual(traitsOf({}))
  const all = { elicitation: { form: {}, url: {} }, session: { notices: {} }, _meta: { terminal_output: true } }
  expect(traitsOf(all)).toEqual({ version: 1, form: true, url: true, notices: true, output: "terminal_output" })
  const some = [{}, { elicitation: { form: {} } }, { elicitation: { url: {} } }, { session: { notices: {} } }, all]
  expect(new Set(some.map((each) => traitsKey(traitsOf(each)))).size).toBe(some.length)
})
