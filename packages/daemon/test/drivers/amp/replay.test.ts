import { readdirSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { recorded, replay } from "./replay.ts"

const names = readdirSync(new URL("../../fixtures/amp/", import.meta.url))
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(/\.jsonl$/, ""))

describe("every recorded transcript makes a sound log", () => {
  test.each(names)("%s", async (name) => {
    await using stage = await replay(recorded(name))
    expect(stage.wrongs()).toEqual([])
    expect(stage.of("turn.ended").length).toBeGreaterThan(0)
  })
})

describe("and the log says what happened", () => {
  const said = [
    ["01-basic-text", ["assistant: Hello from the fake model."]],
    ["04-thinking", ["thinks: Let me think about it.", "assistant: 42"]],
    [
      "03-bash-allow-all",
      ["assistant: I will run it.", "call Bash", "result hi\n", "assistant: Done after 1 tool result(s)."],
    ],
    ["20-mcp", ["call mcp__demo__echo", "result echo:hi", "assistant: Done after 1 tool result(s)."]],
  ] as const
  test.each(said)("%s", async (name, lines) => {
    await using stage = await replay(recorded(name))
    expect(stage.transcript().slice(1)).toEqual(lines)
  })

  const ends = [
    ["01-basic-text", ["end_turn", undefined]],
    ["02-bash-default-permissions-b", ["error", "during_execution"]],
    ["06-threads-continue-c", ["error", "not_found"]],
    ["08-errors-400", ["error", "invalid_request"]],
    ["08-errors-401", ["error", "authentication_failed"]],
    ["08-errors-500", ["error", "server_error"]],
    ["09-sigint-SIGINT", ["cancelled", undefined]],
    ["10-no-key", ["error", "authentication_failed"]],
    ["14-input-eof-while-busy", ["end_turn", undefined]],
    ["16-input-bad", ["error", "during_execution"]],
    ["19-modes-bad", ["error", "agent_process_exited"]],
    ["23-sigint-while-delegate-pending", ["cancelled", undefined]],
  ] as const
  test.each(ends)("%s ends with %j", async (name, end) => {
    await using stage = await replay(recorded(name))
    const { stop_reason, error } = stage.of("turn.ended").at(-1)?.data ?? {}
    expect([stop_reason, error?.code]).toEqual(end)
  })

  test("a command that fails, a file that is made and one that is changed", async () => {
    await using failed = await replay(recorded("03-bash-allow-all"))
    expect(failed.items().findLast(({ kind }) => kind === "tool_result")).toMatchObject({ status: "failed" })
    for (const [name, action, line] of [
      ["11-edit-tools", "write", "+hello"],
      ["11-edit-tools-edit", "patch", "+bye"],
    ] as const) {
      await using stage = await replay(recorded(name))
      const parts = stage.items().flatMap(({ content }) => content)
      const file = parts.find((part) => part.type === "file_ref")
      expect(file).toMatchObject({ path: "/workspace/new.txt", action })
      expect(file?.type === "file_ref" ? file.diff : "").toContain(line)
    }
  })

  test("a tool that ran though nobody was asked for it ends the agent", async () => {
    await using stage = await replay(recorded("03-bash-allow-all"), false)
    expect(stage.of("error").map(({ data }) => data.code)).toContain("permission_denied")
  })

  test("two turns of one process, with what they used", async () => {
    await using stage = await replay(recorded("05-stream-json-input"))
    expect(stage.of("turn.ended").map(({ data }) => data.stop_reason)).toEqual(["end_turn", "end_turn"])
    expect(stage.of("usage.updated").at(-1)?.data).toMatchObject({ context_size: 300_000, input_tokens: 30 })
    expect(stage.session.record.native).toMatchObject({ id: "T-01a1dcd5-b94f-73f0-8b04-1ca9c10364d5", durable: true })
  })
})
