import type { Item } from "@sandbox-agent/schema/item"
import { reply, text, thinking, toolCall, words } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import { startLive as startNative } from "../claude/live.ts"
import type { DriverStage } from "../stage.ts"
import { startLive as startAcp } from "./live.ts"

type Part = Item["content"][number]

/** What a reader of the transcript sees; ids are those of one run. Each difference that is left out is in docs/acp.md. */
function shown({ kind, role, status, content }: Item) {
  return { kind, role, status, content: content.map(part) }
}

function part(one: Part): unknown {
  if (one.type === "tool_call") return { call: one.name, arguments: JSON.parse(one.arguments) }
  if (one.type === "tool_result") return { output: one.output.trim(), is_error: one.is_error }
  if (one.type === "file_ref") return { file: one.path.split("/").at(-1), diff: one.diff?.split("\n").slice(2) }
  return one
}

const steps = (file: string) => [
  reply(
    thinking("Let me see"),
    text(words("I shall look first")),
    toolCall("Bash", { command: "echo hi", description: "Says hi" }),
  ),
  reply(toolCall("Write", { file_path: file, content: "made\n" })),
  reply(toolCall("Bash", { command: "echo broken; exit 3", description: "Breaks" })),
  "All is done.",
]

async function transcript(stage: DriverStage & { model: { script(items: ReturnType<typeof steps>): void } }) {
  stage.model.script(steps(`${stage.workspace}/made.txt`))
  expect(await stage.run("go")).toMatchObject({ stop_reason: "end_turn" })
  const items = stage.items().filter(({ kind, message_id }) => kind !== "status" || message_id !== undefined)
  return JSON.parse(JSON.stringify(items.map(shown)).replaceAll(stage.workspace, "/workspace")) as unknown[]
}

test("Claude Code says the same natively and behind its adapter", async () => {
  const create = { permissionMode: "bypass" } as const
  await using native = await startNative([], { create })
  await using adapted = await startAcp("claude-agent-acp", [], { create })
  const [here, there] = [await transcript(native), await transcript(adapted)]
  expect(there).toEqual(here)
  expect(here).toHaveLength(10)
  const usage = (stage: DriverStage) => stage.of("turn.ended")[0]?.data.usage
  expect(usage(adapted)?.input_tokens).toBe(usage(native)?.input_tokens)
  expect(usage(adapted)?.output_tokens).toBe(usage(native)?.output_tokens)
  expect([...native.wrongs(), ...adapted.wrongs()]).toEqual([])
})
