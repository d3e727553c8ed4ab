import type { ContentPart, Item } from "@sandbox-agent/schema/item"
import { describe, expect, test } from "vitest"
import type { ItemHead } from "../../../src/faces/acp/projection/head.ts"
import { headOf } from "../../../src/faces/acp/projection/head.ts"
import { traitsOf } from "../../../src/faces/acp/projection/traits.ts"
import { event, item } from "./event.ts"
import { notices, ours, plain, updates } from "./event-updates.ts"

const delta = (type: "text" | "reasoning" | "arguments" | "output", more: object = {}) =>
  event("item.delta", { item_id: "item_1", delta: "abc", part: { index: 0, type }, ...more })
const completed = (more: Partial<Item>, envelope: object = {}) =>
  event("item.completed", { item: item(more) }, envelope)

describe("deltas", () => {
  const message = headOf(item({}))
  const text = { content: { type: "text", text: "abc" }, messageId: "item_1" }

  test("of text and reasoning are chunks of the message that their item is", () => {
    expect(updates(delta("text"), plain, message)).toEqual([{ sessionUpdate: "agent_message_chunk", ...text }])
    expect(updates(delta("reasoning"), plain, message)).toEqual([{ sessionUpdate: "agent_thought_chunk", ...text }])
    expect(updates(delta("text"), plain, undefined)).toEqual([{ sessionUpdate: "agent_message_chunk", ...text }])
  })

  test("of a second part are of a message of its own, and beginning again is said", () => {
    expect(updates(delta("text", { part: { index: 1, type: "text" } }), plain, message)).toMatchObject([
      { messageId: "item_1.1" },
    ])
    expect(updates(delta("text", { reset: true }), plain, message)).toMatchObject([ours({ reset: true })])
  })

  test("of a sub-agent name its call", () => {
    const inner = headOf(item({ parent_id: "item_0" }))
    expect(updates(delta("text"), plain, inner)).toMatchObject([ours({ parentId: "item_0" })])
  })

  test("of anything but an assistant's message wait for the whole", () => {
    for (const head of [item({ role: "user" }), item({ kind: "system" }), item({ kind: "unknown" })].map(headOf))
      expect(updates(delta("text"), plain, head)).toEqual([])
    expect(updates(delta("arguments"), plain, { kind: "tool_call", callId: "c" })).toEqual([])
  })

  test("of output go as the client takes it", () => {
    const head: ItemHead = { kind: "tool_result", callId: "call_1", parentId: "item_0" }
    const running = { sessionUpdate: "tool_call_update", toolCallId: "call_1", status: "in_progress" }
    const reset = delta("output", { reset: true })
    expect(updates(delta("output"), plain, head)).toEqual([
      { ...running, ...ours({ output: "abc", parentId: "item_0" }) },
    ])
    expect(updates(reset, plain, head)).toMatchObject([ours({ output: "abc", reset: true })])
    for (const key of ["terminal_output", "terminal_output_delta"]) {
      const traits = traitsOf({ _meta: { [key]: true } })
      const data = { terminal_id: "call_1", data: "abc" }
      expect(updates(delta("output"), traits, head)).toEqual([
        { ...running, _meta: { [key]: data, "sandboxagent.dev": { parentId: "item_0" } } },
      ])
      expect(updates(reset, traits, head)).toMatchObject([
        { _meta: { [key]: { data: "\u001b[H\u001b[2J\u001b[3Jabc" } } },
      ])
    }
    expect(updates(delta("output"), plain, undefined)).toEqual([])
  })
})

describe("messages", () => {
  const parts: ContentPart[] = [
    { type: "text", text: "look" },
    { type: "image", path: "/tmp/a b.png", blob: "hash", mime: "image/png" },
    { type: "file_ref", path: "/tmp/n.txt", action: "read" },
  ]

  test("of the user are shown with all their parts, under the id the message was sent with", () => {
    const user = completed({ role: "user", message_id: "msg_1", content: parts })
    expect(updates(user)).toMatchObject([
      { sessionUpdate: "user_message_chunk", messageId: "msg_1", content: { type: "text", text: "look" } },
      { messageId: "msg_1", content: { type: "resource_link", uri: "file:///tmp/a%20b.png", name: "a b.png" } },
      { messageId: "msg_1", content: { type: "resource_link", uri: "file:///tmp/n.txt", name: "n.txt" } },
    ])
    const sources = { image: (blob: string) => (blob === "hash" ? "aGk=" : undefined) }
    expect(updates(user, plain, undefined, sources)[1]).toMatchObject({ content: { type: "image", data: "aGk=" } })
  })

  test("of the assistant have their text in the deltas already, and only the rest at the end", () => {
    expect(updates(completed({ content: parts })).map(({ content }) => content)).toMatchObject([
      { type: "resource_link" },
      { type: "resource_link" },
    ])
    expect(updates(completed({ content: [{ type: "json", json: { a: 1 } }] }))).toMatchObject([
      { content: { type: "text", text: '{"a":1}' } },
    ])
  })

  test("taken over from elsewhere have no deltas and come whole", () => {
    const content: ContentPart[] = [
      { type: "reasoning", text: "hm", visibility: "public" },
      { type: "text", text: "yes" },
    ]
    expect(updates(completed({ content }, { replayed: true }))).toMatchObject([
      { sessionUpdate: "agent_thought_chunk", messageId: "item_1", content: { text: "hm" } },
      { sessionUpdate: "agent_message_chunk", messageId: "item_1.1", content: { text: "yes" } },
    ])
  })

  test("that were cut off are marked", () => {
    const cut = completed({
      status: "failed",
      metadata: { reason: "retried" },
      content: [{ type: "text", text: "ha" }],
    })
    const note = { itemId: "item_1", kind: "message", status: "failed", reason: "retried" }
    expect(updates(cut)).toEqual([{ sessionUpdate: "session_info_update", ...ours({ item: note }) }])
  })

  test("of the agent's machinery are notices where the client shows them, and no words of the agent's", () => {
    const system = completed({
      kind: "system",
      role: "system",
      content: [{ type: "text", text: "Compacted\nby half" }],
    })
    expect(updates(system, notices)).toMatchObject([
      { sessionUpdate: "notice", severity: "info", title: "Compacted", description: "by half" },
    ])
    expect(updates(system)).toMatchObject([
      { sessionUpdate: "session_info_update", ...ours({ item: { kind: "system" } }) },
    ])
    expect(updates(completed({ kind: "system", content: [] }), notices)).toMatchObject([
      { sessionUpdate: "session_info_update" },
    ])
  })

  test("of status and of nobody knows what are data of ours, with all they hold", () => {
    const content: ContentPart[] = [{ type: "status", label: "mock.sleep", detail: "1 ms" }]
    for (const kind of ["status", "unknown"] as const)
      expect(updates(completed({ kind, role: undefined, content }), notices)).toEqual([
        {
          sessionUpdate: "session_info_update",
          ...ours({ item: { itemId: "item_1", kind, status: "completed", content } }),
        },
      ])
  })
})

describe("tool calls", () => {
  const call = (more: object = {}): ContentPart => ({
    type: "tool_call",
    name: "Bash",
    arguments: '{"command":"ls","path":"/x"}',
    call_id: "call_1",
    ...more,
  })
  const started = (...content: ContentPart[]) =>
    event("item.started", { item: item({ kind: "tool_call", status: "in_progress", content }) })

  test("begin pending, without arguments that are still coming", () => {
    expect(updates(started(call({ arguments: '{"comm' })))).toEqual([
      {
        sessionUpdate: "tool_call",
        toolCallId: "call_1",
        title: "Bash",
        name: "Bash",
        kind: "other",
        status: "pending",
        ...ours({ itemId: "item_1" }),
      },
    ])
    expect(updates(started())).toMatchObject([{ toolCallId: "item_1", title: "unknown" }])
  })

  test("run when their arguments are final", () => {
    const done = (arguments_: string) =>
      updates(
        completed({ kind: "tool_call", content: [call({ arguments: arguments_, title: "List", kind: "execute" })] }),
      )
    expect(done('{"command":"ls","path":"/x"}')).toMatchObject([
      {
        sessionUpdate: "tool_call_update",
        status: "in_progress",
        title: "List",
        kind: "execute",
        rawInput: { command: "ls", path: "/x" },
        locations: [{ path: "/x" }],
      },
    ])
    expect(done("not json")).toMatchObject([{ rawInput: "not json" }])
    expect(updates(completed({ kind: "tool_call", status: "failed", content: [call()] }))).toMatchObject([
      { status: "failed" },
    ])
  })

  test("of commands are terminals to clients that show output as it comes", () => {
    const terminal = traitsOf({ _meta: { terminal_output: true } })
    expect(updates(started(call({ kind: "execute" })), terminal)).toMatchObject([
      { content: [{ type: "terminal", terminalId: "call_1" }], _meta: { terminal_info: { terminal_id: "call_1" } } },
    ])
    expect(updates(started(call({ kind: "read" })), terminal)[0]).not.toHaveProperty("content")
  })

  test("end with their result", () => {
    const result: ContentPart = { type: "tool_result", call_id: "call_1", output: "out", truncated: true }
    const diff = "--- a/x\n+++ b/x\n@@ -7,1 +7,1 @@\n-a\n+b\n"
    const file: ContentPart = { type: "file_ref", path: "/x", action: "patch", diff }
    const ended = completed({ kind: "tool_result", content: [result, file] })
    expect(updates(ended)).toEqual([
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "call_1",
        status: "completed",
        rawOutput: "out",
        content: [
          { type: "content", content: { type: "text", text: "out" } },
          { type: "diff", path: "/x", oldText: "a\n", newText: "b\n" },
        ],
        locations: [{ path: "/x", line: 7 }],
        ...ours({ itemId: "item_1", truncated: true }),
      },
    ])
    const failed = [{ ...result, is_error: true } as ContentPart]
    expect(updates(completed({ kind: "tool_result", content: failed }))).toMatchObject([{ status: "failed" }])
    const detached = [{ ...result, detached: true } as ContentPart]
    expect(updates(completed({ kind: "tool_result", content: detached }))).toMatchObject([
      { status: "completed", ...ours({ detached: true }) },
    ])
    const renamed = [result, { ...file, diff: "rename from x\n" } as ContentPart]
    expect(JSON.stringify(updates(completed({ kind: "tool_result", content: renamed })))).toContain("rename from x")
  })
})
