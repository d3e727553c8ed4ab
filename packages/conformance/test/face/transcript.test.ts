import type { Item } from "@sandbox-agent/schema/item"
import type { SessionUpdate } from "acp-http-client"
import { expect, test } from "vitest"
import { foldItems } from "../../src/face/fold-items.ts"
import { foldUpdates } from "../../src/face/fold-updates.ts"
import { differencesBetween } from "../../src/face/transcript.ts"

const ours = (fields: object) => ({ _meta: { "sandboxagent.dev": fields } })
const text = (value: string) => ({ type: "text" as const, text: value })
const diff = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n"

const items: Item[] = [
  { item_id: "u", kind: "message", role: "user", status: "completed", content: [text("please")] },
  {
    item_id: "m",
    kind: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "reasoning", text: "hm", visibility: "public" }, text("I will")],
  },
  {
    item_id: "c",
    kind: "tool_call",
    status: "completed",
    content: [{ type: "tool_call", name: "Edit", arguments: "{}", call_id: "c1" }],
  },
  { item_id: "s", parent_id: "c", kind: "message", role: "assistant", status: "completed", content: [text("inner")] },
  {
    item_id: "r",
    kind: "tool_result",
    status: "completed",
    content: [
      { type: "tool_result", call_id: "c1", output: "done" },
      { type: "file_ref", path: "/f", action: "patch", diff },
    ],
  },
  { item_id: "n", kind: "status", status: "completed", content: [{ type: "status", label: "mock.note" }] },
]

const updates: SessionUpdate[] = [
  { sessionUpdate: "user_message_chunk", messageId: "u", content: text("please") },
  { sessionUpdate: "agent_thought_chunk", messageId: "m", content: text("h") },
  { sessionUpdate: "agent_message_chunk", messageId: "m.1", content: text("I") },
  { sessionUpdate: "agent_thought_chunk", messageId: "m", content: text("m") },
  { sessionUpdate: "agent_message_chunk", messageId: "m.1", content: text(" will") },
  { sessionUpdate: "tool_call", toolCallId: "c1", title: "Edit", name: "Edit", ...ours({ itemId: "c" }) },
  { sessionUpdate: "agent_message_chunk", messageId: "s", content: text("inner"), ...ours({ parentId: "c" }) },
  {
    sessionUpdate: "tool_call_update",
    toolCallId: "c1",
    status: "completed",
    content: [
      { type: "content", content: text("done") },
      { type: "diff", path: "/f", oldText: "same\nold\n", newText: "same\nnew\n" },
    ],
    rawOutput: "done",
  },
  { sessionUpdate: "session_info_update", ...ours({ item: { itemId: "n", kind: "status" } }) },
]

const due = { entries: foldItems(items) }

test("items and updates of one conversation fold to the same", () => {
  expect(differencesBetween(foldUpdates(updates), due)).toEqual([])
  expect(due.entries).toHaveLength(6)
})

test("what a client was not told, or was told otherwise, is found", () => {
  for (const at of updates.keys()) {
    const without = differencesBetween(foldUpdates(updates.toSpliced(at, 1)), due)
    expect(without, `without update ${at}`).not.toEqual([])
  }
  const reported = (update: SessionUpdate) => differencesBetween(foldUpdates([...updates, update]), due)
  expect(reported({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "failed" })).toHaveLength(1)
  expect(reported({ sessionUpdate: "tool_call_update", toolCallId: "c1", rawOutput: "other" })).toHaveLength(1)
  expect(reported({ sessionUpdate: "tool_call_update", toolCallId: "c1", content: [] })).toHaveLength(1)
  expect(reported({ sessionUpdate: "plan", entries: [] })).toHaveLength(1)
  expect(
    differencesBetween({ ...foldUpdates(updates), stops: ["cancelled"] }, { ...due, stops: ["end_turn"] }),
  ).toHaveLength(1)
})

test("a part that begins again replaces what it had; chunks without an id are one text", () => {
  const again: SessionUpdate = { sessionUpdate: "agent_message_chunk", messageId: "x", content: text("whole") }
  const cut: SessionUpdate = { ...again, content: text("ha") }
  expect(foldUpdates([cut, { ...again, ...ours({ reset: true }) }]).entries).toMatchObject([{ text: "whole" }])
  const plain = (value: string): SessionUpdate => ({ sessionUpdate: "agent_message_chunk", content: text(value) })
  expect(foldUpdates([plain("a"), plain("b")]).entries).toMatchObject([{ text: "ab" }])
})
