import { readdirSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { recorded, replay } from "./replay.ts"

const names = readdirSync(new URL("../../fixtures/acp/", import.meta.url))
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(/\.jsonl$/, ""))
/** A draft of the protocol that we do not ask for: nothing of it may be lost, but most of it has no meaning yet. */
const drafts = names.filter((name) => name.includes(".v2"))

describe("every recorded transcript makes a sound log", () => {
  test.each(names.filter((name) => !drafts.includes(name)))("%s", async (name) => {
    const { stage } = await replay(recorded(name))
    await using _ = stage
    expect(stage.wrongs()).toEqual([])
  })

  test.each(drafts)("%s, though of a draft, has no line that is unparsed", async (name) => {
    const { stage } = await replay(recorded(name))
    await using _ = stage
    expect(stage.of("agent.unparsed")).toEqual([])
    expect(stage.items().some(({ kind }) => kind === "unknown")).toBe(true)
  })
})

describe("and the log says what happened", () => {
  test("a permission is one item, one request and one result, also where the agent asks before it tells", async () => {
    for (const [name, tool, output] of [
      ["claude-agent-acp-0.99.0.permission", "Bash", "hi"],
      ["codex-acp-2.6.0.permission-then-load", "execute", "hi\n"],
      ["gemini-cli-0.61.0.permission", "run_shell_command", ""],
      ["qwen-code-0.24.4.permission", "run_shell_command", "hi"],
    ]) {
      const { stage } = await replay(recorded(name ?? ""))
      await using _ = stage
      const lines = stage.transcript().filter((line) => line.startsWith("call") || line.startsWith("result"))
      expect(lines).toEqual([`call ${tool}`, `result ${output}`])
      const [permission] = stage.of("permission.requested")
      expect(permission?.data).toMatchObject({
        kind: "command",
        detail: { command: "touch made-by-probe.txt && echo hi" },
      })
      expect(stage.of("permission.resolved").map(({ data }) => data.status)).toEqual(["accept"])
    }
  })

  test("forms are questions, with their headings, choices and room for other words", async () => {
    for (const [name, header, prompt] of [
      ["claude-agent-acp-0.99.0.elicitation", "Database", "Which database?"],
      ["codex-acp-2.6.0.elicitation", "Database", "Which database?"],
    ]) {
      const { stage } = await replay(recorded(name ?? ""))
      await using _ = stage
      const [question] = stage.of("question.requested")
      expect(question?.data.questions[0]).toMatchObject({ header, prompt, type: "choice", allow_other: true })
      expect(stage.of("question.resolved").map(({ data }) => data.status)).toEqual(["answered"])
    }
  })

  test("who wants a login is not healthy and says what to run", async () => {
    for (const name of names.filter((each) => each.includes("auth-required"))) {
      const { stage, error } = await replay(recorded(name))
      await using _ = stage
      expect(error?.code, name).toBe("unavailable")
      expect(error?.message, name).toMatch(/run `recorded\b/)
      expect(error?.hint, name).toMatch(/^To log in, /)
    }
  })

  test("tokens of a turn are those of its answer, or of its chunks", async () => {
    for (const [name, input] of [
      ["claude-agent-acp-0.99.0.permission", 20],
      ["codex-acp-2.6.0.text", undefined],
      ["gemini-cli-0.61.0.permission", 20],
      ["qwen-code-0.24.4.permission", 20],
    ] as const) {
      const { stage } = await replay(recorded(name))
      await using _ = stage
      const usage = stage.of("turn.ended")[0]?.data.usage
      expect(usage?.output_tokens, name).toBeGreaterThan(0)
      if (input !== undefined) expect(usage?.input_tokens, name).toBe(input)
    }
  })

  test("extensions are kept: notifications as notes, requests and echoes in their place", async () => {
    const { stage } = await replay(recorded("qwen-code-0.24.4.permission"))
    await using _ = stage
    expect(stage.labels()).toContain("recorded.qwen/notify/session/prompt-suggestion")
    expect(stage.of("agent.native").map(({ data }) => data.method)).toContain("craft/drainMidTurnQueue")
  })
})
