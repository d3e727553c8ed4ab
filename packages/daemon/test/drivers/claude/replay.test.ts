import { readdirSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { recorded, replay } from "./replay.ts"

const names = readdirSync(new URL("../../fixtures/claude/", import.meta.url))
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(/\.jsonl$/, ""))

describe("every recorded transcript makes a sound log", () => {
  test.each(names)("%s", async (name) => {
    await using stage = await replay(recorded(name))
    expect(stage.wrongs()).toEqual([])
  })
})

describe("and the log says what happened", () => {
  test("a message during a tool is folded into its turn, one during text is not", async () => {
    await using stage = await replay(recorded("queue_midturn"))
    expect(stage.of("turn.ended").map(({ data }) => data.message_ids.length)).toEqual([1, 1, 2])
    expect(stage.transcript().slice(4)).toEqual([
      ...['user: "third"', "call Bash", "result ", 'user: "fourth during tool"', "assistant: Answer A"],
    ])
  })

  test("interrupts cancel, and only what they hit", async () => {
    await using stage = await replay(recorded("interrupt"))
    const stops = stage.of("turn.ended").map(({ data }) => data.stop_reason)
    expect(stops).toEqual(["cancelled", "end_turn", "end_turn", "cancelled"])
    expect(stage.of("permission.resolved").map(({ data }) => data.status)).toEqual(["cancelled"])
    expect(stage.of("error")).toEqual([])
  })

  const errors = [
    ["error_401", "authentication_failed"],
    ["error_429", "rate_limited"],
    ["error_529", undefined],
    ["error_529_exhausted", "overloaded"],
    ["error_model_not_found", "model_not_found"],
    ["error_400_prompt_too_long", "prompt_too_long"],
    ["error_server_dead", "connection_failed"],
  ] as const
  test.each(errors)("%s ends with %s", async (name, code) => {
    await using stage = await replay(recorded(name))
    const ended = stage.of("turn.ended").at(-1)?.data
    expect(ended?.error?.code).toBe(code)
    expect(stage.of("error").map(({ data }) => data.code)).toEqual(code === undefined ? [] : [code])
  })

  test("a sub-agent in the background hangs on its call after the turn, and brings a turn of the agent's own", async () => {
    await using stage = await replay(recorded("subagent_background"))
    const call = stage.items().find(({ kind }) => kind === "tool_call")
    const late = stage.items().find((item) => item.late && item.kind === "message")
    expect(late?.parent_id).toBe(call?.item_id)
    expect(stage.of("turn.started").map(({ data }) => data.origin)).toEqual(["message", "agent"])
    expect(stage.of("session.updated").flatMap(({ data }) => data.background ?? [])).toEqual([1, 0])
  })

  test("todo lists of both kinds are plans", async () => {
    for (const [name, entries] of [
      ["todo_write", [["in_progress", "pending"]]],
      ["task_tools", [["pending"], ["in_progress"]]],
    ] as const) {
      await using stage = await replay(recorded(name))
      expect(stage.of("plan.updated").map(({ data }) => data.entries.map(({ status }) => status))).toEqual(entries)
    }
  })
})
