import { readFileSync } from "node:fs"
import { join } from "node:path"
import { itemsOf, only, partsOf, resultsOf, stopOf } from "../events.ts"
import { has, holds, same } from "../expect.ts"
import { mcpProbe } from "../mcp-probe.ts"
import type { Scenario } from "../scenario.ts"

const bypass = { permissionMode: "bypass" }

export const tools: readonly Scenario[] = [
  {
    name: "a tool call has its arguments and gets its result",
    proves: ["tool.call", "tool.result"],
    async run(scene) {
      const { id } = await scene.session(bypass)
      const items = itemsOf(await scene.turn(id, "tool"))
      const [call] = partsOf(items, "tool_call")
      holds(typeof JSON.parse(call?.arguments ?? "") === "object", "the arguments are no JSON object")
      same(
        resultsOf(items).map(([name, output]) => [name, typeof output]),
        [[call?.name, "string"]],
      )
      const kinds = items.map(({ kind }) => kind)
      holds(kinds.indexOf("tool_call") < kinds.indexOf("tool_result"), "the result comes before the call")
    },
  },
  {
    name: "a command runs and its output is the result",
    proves: ["command.output"],
    async run(scene) {
      const { id, directory } = await scene.session(bypass)
      const items = itemsOf(await scene.turn(id, "run", "pwd; echo to stderr >&2"))
      const output = resultsOf(items)[0]?.[1]
      has(output, directory, "the output")
      has(output, "to stderr", "the output")
    },
  },
  {
    name: "a command that fails says so in its result, and the turn goes on",
    proves: ["command.failure"],
    means: ["exitCodes"],
    async run(scene) {
      const { id } = await scene.session(bypass)
      const events = await scene.turn(id, "run", "echo broken; exit 3")
      const [result] = partsOf(itemsOf(events), "tool_result")
      same(result?.is_error, true, "is_error")
      has(result?.output, "broken", "the output")
      same(stopOf(events), "end_turn")
    },
  },
  {
    name: "a file change is on disk and shown with its diff",
    proves: ["file.change"],
    async run(scene) {
      const { id, directory } = await scene.session({ permissionMode: "acceptEdits" })
      const events = await scene.turn(id, "write", "made.txt", "made by the agent")
      const path = join(directory, "made.txt")
      has(readFileSync(path, "utf8"), "made by the agent", "the file")
      const change = partsOf(itemsOf(events), "file_ref").find((part) => part.path === path)
      has(["write", "patch"], change?.action, "the actions of a change")
      has(change?.diff, "+made by the agent", "the diff")
      same(only(events, "permission.requested").length, only(events, "permission.resolved").length)
    },
  },
  {
    name: "what a sub-agent does hangs on the call that started it",
    proves: ["subagent.parent"],
    async run(scene) {
      const { id } = await scene.session(bypass)
      const items = itemsOf(await scene.turn(id, "subagent"))
      const calls = items.filter(({ kind }) => kind === "tool_call")
      const inner = items.filter(({ parent_id }) => calls.some(({ item_id }) => item_id === parent_id))
      holds(
        inner.some(({ kind }) => kind === "tool_call"),
        "no call of the sub-agent hangs on its call",
      )
      holds(
        resultsOf(items).every(([, output]) => output !== undefined),
        "a call has no result",
      )
    },
  },
  {
    name: "a plan is told as it changes",
    proves: ["plan.updates"],
    async run(scene) {
      const { id } = await scene.session(bypass)
      const plans = only(await scene.turn(id, "todo"), "plan.updated").map(({ data }) => data.entries)
      holds(plans.length > 1 && (plans[0]?.length ?? 0) > 1, "fewer than two plans of two entries")
      holds(plans.at(-1)?.every(({ status }) => status === "completed") === true, "the last is not completed")
    },
  },
  {
    name: "an MCP server given at create is called",
    proves: ["mcp.tool"],
    async run(scene) {
      // Its tools have to be there in the first turn, also if it takes a moment to start.
      const { id } = await scene.session({ ...bypass, mcp: { probe: mcpProbe(scene.stage.directory, 2_000) } })
      const [result, ...more] = resultsOf(itemsOf(await scene.turn(id, "mcpTool")))
      has(result?.[0], "ping", "the call")
      has(result?.[1], "pong", "the result")
      same(more, [])
    },
  },
]
