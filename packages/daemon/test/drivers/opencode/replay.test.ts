import { describe, expect, test } from "vitest"
import { type Replay, replay } from "./replay.ts"
import { transcripts } from "./transcripts.ts"

describe("every recorded transcript makes a sound log", () => {
  test.each(transcripts)("%s", async (name) => {
    await using stage = await replay(name)
    // Some were recorded to their point and no further.
    expect(stage.wrongs(true)).toEqual([])
  })
})

const stops = (stage: Replay): string[] =>
  [...new Set(stage.sessions.values())].flatMap((session) =>
    stage.of("turn.ended", session).map(({ data }) => data.error?.code ?? data.stop_reason),
  )

describe("and the log says what happened", () => {
  test("deltas of reasoning are reasoning, though they look like text", async () => {
    await using stage = await replay("reasoning")
    expect(stage.transcript().slice(1)).toEqual([
      expect.stringMatching(/^thinks: ./),
      expect.stringMatching(/^assistant: ./),
    ])
    const types = new Set(stage.of("item.delta").map(({ data }) => data.part.type))
    expect(types).toEqual(new Set(["reasoning", "text"]))
    expect(stops(stage)).toEqual(["end_turn"])
  })

  test("a permission is asked with the call it is about, and the output of the command is streamed", async () => {
    await using stage = await replay("permission-once")
    const [asked] = stage.of("permission.requested")
    const call = stage.items().find(({ kind }) => kind === "tool_call")
    expect(asked?.data).toMatchObject({
      kind: "command",
      item_id: call?.item_id,
      detail: { command: "echo hi-from-bash" },
    })
    expect(stage.transcript()).toContain("result hi-from-bash\n")
    expect(stage.of("item.delta").some(({ data }) => data.part.type === "output")).toBe(true)
    expect(stage.of("usage.updated").at(-1)?.data).toMatchObject({ input_tokens: 200, cost_usd: 0.00026 })
  })

  test("a turn that fails ends once, after the second idle; a prompt that was lost between them is sent again", async () => {
    await using stage = await replay("idle-race")
    const [first] = stage.sessions.values()
    expect(stage.of("turn.ended", first)).toEqual([])
    expect(stage.of("error", first).map(({ data }) => data.code)).toEqual(["authentication_failed"])
    const sent = stage.server.prompts.filter(({ sessionID }) => sessionID === first?.record.native.id)
    expect(sent).toHaveLength(3)
    expect(sent[1]?.messageID).toBe(sent[2]?.messageID)
  })

  test("errors of the provider, of the model and of the agent end their turns, retries are told", async () => {
    await using stage = await replay("errors")
    expect(stops(stage)).toContain("model_not_found")
    expect(stops(stage)).toContain("mode_not_supported")
    expect(stops(stage)).toContain("cancelled")
    expect(stage.labels()).toEqual(["opencode.retry", "opencode.retry"])
  })

  test("aborts cancel text, a command and what was asked", async () => {
    await using stage = await replay("abort")
    expect(stops(stage)).toEqual(["cancelled", "cancelled", "cancelled"])
    const [first, second] = stage.sessions.values()
    const failed = stage.items(first).filter(({ status }) => status === "failed")
    expect(failed.map(({ kind }) => kind)).toEqual(["message", "tool_result"])
    expect(stage.of("permission.resolved", second).map(({ data }) => data.status)).toEqual(["cancelled"])
  })

  test("a sub-agent hangs on its task, and its idle is not the end", async () => {
    await using stage = await replay("subagent")
    const task = stage.items().find(({ kind }) => kind === "tool_call")
    const inner = stage.items().filter(({ parent_id }) => parent_id === task?.item_id)
    expect(inner.map(({ kind }) => kind)).toContain("message")
    expect(stage.transcript()).toContain("result Hello from the fake model.")
    expect(stops(stage)).toEqual(["end_turn"])
  })

  test("files that are written and edited come with their difference", async () => {
    await using stage = await replay("write-edit-diff")
    const files = stage.items().flatMap(({ content }) => content.filter((part) => part.type === "file_ref"))
    expect(files.map(({ action, path }) => [action, path])).toEqual([
      ["write", "/workspace/a/hello.txt"],
      ["read", "/workspace/a/hello.txt"],
      ["patch", "/workspace/a/hello.txt"],
    ])
    // Only the permission for it would tell what became of a file that was there, and none was asked.
    expect(files[0]?.diff).toBeUndefined()
    expect(files[2]?.diff).toContain("-hello world\n+hello there")
  })

  test("a tool that is not there, a file that is not there and a command that fails are errors", async () => {
    await using stage = await replay("tool-errors")
    const results = stage.items().flatMap(({ content }) => content.filter((part) => part.type === "tool_result"))
    expect(results.map(({ is_error }) => is_error)).toEqual([true, true, true])
    expect(stage.transcript()).toContain("call no_such_tool")
  })

  test("questions are answered and dismissed, todos are a plan", async () => {
    await using questions = await replay("question")
    expect(questions.of("question.resolved").map(({ data }) => data.status)).toEqual(["answered", "rejected"])
    await using todos = await replay("todo")
    const [plan] = todos.of("plan.updated")
    expect(plan?.data.entries).toEqual([
      { content: "First", status: "in_progress", priority: "high" },
      { content: "Second", status: "pending", priority: "low" },
    ])
  })

  test("two prompts in one run are two messages of one turn", async () => {
    await using stage = await replay("queue")
    expect(stage.of("turn.ended").map(({ data }) => data.message_ids.length)).toEqual([2])
  })

  test("a server that was killed ends its turns, and the next messages go on in the same sessions", async () => {
    await using stage = await replay("crash-restart")
    const [first, second] = stage.sessions.values()
    const ends = (session = first) =>
      stage.of("turn.ended", session).map(({ data }) => data.error?.signal ?? data.stop_reason)
    expect([ends(first), ends(second)]).toEqual([
      ["end_turn", "SIGKILL", "end_turn"],
      ["SIGKILL", "end_turn"],
    ])
    expect(stage.of("permission.resolved", second).map(({ data }) => data.status)).toEqual(["cancelled"])
  })

  test("compaction, a shell command of the user's and a deleted session are told", async () => {
    await using stage = await replay("session-ops")
    expect(stage.labels()).toEqual(["opencode.command", "opencode.compacted"])
    expect(stage.of("session.ended").map(({ data }) => data.terminated_by)).toEqual(["agent"])
    expect(stage.of("session.updated").flatMap(({ data }) => data.title ?? [])).toContain("renamed")
  })
})
