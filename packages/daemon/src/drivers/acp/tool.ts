import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { at, type Json, list, number, record, text } from "../shared/json.ts"
import { HeadAndTail } from "./head-and-tail.ts"
import { sizeOf } from "./size.ts"

const TITLE_CHARS = 200

/** One tool call as far as it is known; each update replaces the fields it has. */
export interface Tool {
  readonly id: string
  /** It began outside a turn, and no end of a turn ends it. */
  readonly late: boolean
  parent: string | undefined
  name: string | undefined
  title: string | undefined
  kind: string | undefined
  input: unknown
  /** The input that the log has. */
  shown: unknown
  /** The same as JSON, while it may still grow. */
  shownJson: string | undefined
  content: readonly unknown[]
  /** The last content that showed a change: some show it only when they ask, and replace it by words. */
  changed: readonly unknown[]
  locations: readonly unknown[]
  output: unknown
  status: string | undefined
  /** What a terminal has written, and how its command ended. */
  terminal: HeadAndTail
  exitCode: number | undefined
  call: "none" | "open" | "closed"
  result: "none" | "open" | "closed"
  /** Its result was opened outside a turn. */
  lateResult: boolean
  /** What a person said who refused it. */
  refusal: string | undefined
  /** Its arguments were let go of. */
  forgotten: boolean
  /** Of each field that an update gave, about as JSON. */
  readonly sizes: Map<string, number>
  /** All that it was last known to hold. */
  chars: number
}

export const newTool = (id: string, late: boolean): Tool => ({
  id,
  late,
  parent: undefined,
  name: undefined,
  title: undefined,
  kind: undefined,
  input: undefined,
  shown: undefined,
  shownJson: undefined,
  content: [],
  changed: [],
  locations: [],
  output: undefined,
  status: undefined,
  terminal: new HeadAndTail(acpAgentLimits.callOutputChars),
  exitCode: undefined,
  call: "none",
  result: "none",
  lateResult: false,
  refusal: undefined,
  forgotten: false,
  sizes: new Map(),
  chars: 0,
})

/** Fields of an update that may be of any size. */
const sized = ["rawInput", "rawOutput", "content", "locations", "title"]

/** Characters that it holds, about. */
export const weightOf = ({ sizes, terminal }: Tool): number =>
  [...sizes.values()].reduce((sum, size) => sum + size, terminal.held)

/** The call a sub-agent belongs to, in the meta of those who tell it. */
export function parentOf({ _meta }: Json): string | undefined {
  if (_meta === undefined) return undefined
  return text(at(_meta, "claudeCode", "parentToolUseId")) ?? text(at(_meta, "parentToolCallId"))
}

export function merge(tool: Tool, update: Json): void {
  for (const name of sized) if (isGiven(update[name])) tool.sizes.set(name, sizeOf(update[name]))
  const meta = record(update._meta)
  tool.parent ??= parentOf(update)
  tool.name ??= text(update.name) ?? text(at(meta, "claudeCode", "toolName")) ?? text(meta.toolName)
  tool.title = text(update.title) ?? tool.title
  tool.kind = text(update.kind) ?? tool.kind
  tool.status = text(update.status) ?? tool.status
  if (isGiven(update.rawInput)) {
    tool.input = update.rawInput
    tool.forgotten = false
  }
  if (isGiven(update.rawOutput)) tool.output = update.rawOutput
  if (Array.isArray(update.content)) tool.content = update.content
  if (tool.content.some((block) => record(block).type === "diff")) {
    tool.changed = tool.content
    tool.sizes.set("changed", tool.sizes.get("content") ?? 0)
  }
  if (list(update.locations).length > 0) tool.locations = list(update.locations)
  tool.exitCode = number(at(meta, "terminal_exit", "exit_code")) ?? tool.exitCode
}

/** Of a call that is over only its name is needed, so that it is not taken for a new one. */
export function forget(tool: Tool): void {
  tool.forgotten = true
  tool.sizes.clear()
  tool.title = tool.title?.slice(0, TITLE_CHARS)
  tool.input = undefined
  tool.shown = undefined
  tool.shownJson = undefined
  tool.output = undefined
  tool.content = []
  tool.changed = []
  tool.locations = []
  tool.terminal.forget()
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** Agents begin a call before its arguments have come. */
export const hasInput = ({ input }: Tool): boolean =>
  typeof input === "object" && input !== null ? Object.keys(input).length > 0 : isGiven(input) && input !== ""

export const isFinal = ({ status }: Tool): boolean => status === "completed" || status === "failed"

/** It runs, or has run: its arguments are final. Before, and of one that is said to run without any, they may still come. */
export const hasBegun = (tool: Tool): boolean =>
  isFinal(tool) || isGiven(tool.output) || (tool.status === "in_progress" && hasInput(tool))

/** Codex names tools of MCP servers only in what they are called with. Arguments that a model adds to another tool make it none. */
function mcpCall({ input }: Pick<Tool, "input">): { name: string; given: unknown } | undefined {
  const { server, tool, arguments: given = input, ...others } = record(input)
  if (text(server) === undefined || text(tool) === undefined || Object.keys(others).length > 0) return undefined
  return { name: `mcp__${server}__${tool}`, given }
}

/** Gemini CLI names its tools only in the ids of their calls. */
export const nameOf = (tool: Tool): string =>
  mcpCall(tool)?.name ?? tool.name ?? /^([a-z][a-z0-9_]*?)__/.exec(tool.id)?.[1] ?? tool.kind ?? "tool"

/** Its arguments. */
export function inputOf(tool: Pick<Tool, "input">): unknown {
  const mcp = mcpCall(tool)
  const given = mcp === undefined ? tool.input : mcp.given
  return isGiven(given) ? given : {}
}

/** The same as JSON. */
export function argumentsOf(tool: Pick<Tool, "input">): string {
  const given = inputOf(tool)
  return JSON.stringify(typeof given === "string" ? { input: given } : given)
}

export function callPart(tool: Tool): Extract<ContentPart, { type: "tool_call" }> {
  const { id, title, kind } = tool
  return {
    type: "tool_call",
    name: nameOf(tool),
    arguments: argumentsOf(tool),
    call_id: id,
    ...(title !== undefined && { title: title.slice(0, TITLE_CHARS) }),
    ...(kind !== undefined && { kind }),
  }
}

export function pathOf({ locations, input, content }: Tool): string | undefined {
  const { file_path, path, abs_path, absolute_path } = record(input)
  const changed = content.map((block) => text(record(block).path)).find((found) => found !== undefined)
  const located = text(record(locations[0]).path)
  return changed ?? text(file_path) ?? text(abs_path) ?? text(absolute_path) ?? located ?? text(path)
}
