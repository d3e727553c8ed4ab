import type { PermissionKind } from "@sandbox-agent/schema/request"
import type { NativeAnswer } from "../../core/driver.ts"
import type { NativePermission } from "../../core/driver-sink.ts"
import { list, record, text } from "../shared/json.ts"
import { ruleOf, type Wanted, wantedBy } from "./covered.ts"
import { inputOf, nameOf, pathOf, type Tool } from "./tool.ts"
import { diffText } from "./tool-result.ts"

const kinds: Record<string, PermissionKind> = {
  execute: "command",
  edit: "file_change",
  delete: "file_change",
  move: "file_change",
  fetch: "network",
}

const harmless = ["read", "search", "think"]

/** A tool that wants to run, as the core's policy and a person see it. */
export function permissionOf(tool: Tool, options: readonly unknown[]): NativePermission {
  // Codex says of tools of MCP servers that they execute: they are no commands.
  const kind = isMcp(tool) ? "tool" : (kinds[tool.kind ?? ""] ?? "other")
  const wanted = wantedBy(tool)
  const lasting = isLasting(options)
  const rule = kind === "tool" ? `tool ${nameOf(tool)}` : ruleOf(tool, wanted)
  // Of one whose arguments were too many to keep nobody knows what it is.
  const rules = tool.forgotten ? [] : [lasting ? `for good: ${rule}` : rule]
  return {
    type: "permission",
    kind,
    action: tool.title ?? nameOf(tool),
    detail: detailOf(tool, kind, wanted),
    readOnly: harmless.includes(tool.kind ?? ""),
    ...(lasting && { allowed: "for_good" }),
    ...(!lasting && !options.some((option) => kindOf(option) === "allow_once") && { allowed: "never" }),
    covers: rules,
    always: rules,
    metadata: { tool: nameOf(tool), options: list(options) },
  }
}

/** All that the rule of it is made of. */
function detailOf(tool: Tool, kind: PermissionKind, wanted: Wanted): NativePermission["detail"] {
  const { cwd, otherInput, otherContent, locations } = wanted
  const command = kind === "tool" ? undefined : wanted.command
  const path = kind === "command" ? undefined : pathOf(tool)
  const located = kind === "command" ? [] : locations.flatMap((one) => text(record(one).path) ?? [])
  const paths = [...new Set([...(path === undefined ? [] : [path]), ...wanted.paths, ...located])]
  const diff = diffText(tool)
  const said = tool.content.flatMap((block) => text(record(record(block).content).text) ?? []).join("\n")
  const unsaid = otherContent.filter(({ type, content }) => type !== "diff" && text(record(content).text) === undefined)
  return {
    ...(command !== undefined && { command }),
    ...(command !== undefined && cwd !== undefined && { cwd }),
    ...(path !== undefined && { path }),
    ...(paths.length > 1 && { paths }),
    ...(diff !== undefined && { diff }),
    ...(said !== "" && { description: said }),
    ...(unsaid.length > 0 && { content: unsaid }),
    ...((otherInput !== undefined || (command === undefined && diff === undefined)) && { input: inputOf(tool) }),
  }
}

const isMcp = (tool: Tool): boolean => /^mcp[_.]/.test(nameOf(tool))

const kindOf = (option: unknown): unknown => record(option).kind

/** Whether it can be allowed, but only for longer than this once. */
const isLasting = (options: readonly unknown[]): boolean =>
  options.some((option) => kindOf(option) === "allow_always") &&
  !options.some((option) => kindOf(option) === "allow_once")

export const CANCELLED = { outcome: { outcome: "cancelled" } } as const

/**
 * The agent's own option for this answer, by its kind. One that holds for longer only where there is none for this once,
 * which the core knows. Of several the first that does not end the turn besides. Without any, nothing was chosen.
 */
export function outcomeOf(options: readonly unknown[], answer: NativeAnswer): object {
  const allowed = answer.kind === "question" || (answer.kind === "permission" && answer.reply === "once")
  const wanted = allowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"]
  const ofKinds = wanted.map((kind) => options.map(record).filter((option) => option.kind === kind))
  const fitting = ofKinds.find((some) => some.length > 0) ?? []
  const chosen = fitting.find((option) => option.optionId !== "cancel") ?? fitting[0]
  return chosen === undefined ? CANCELLED : { outcome: { outcome: "selected", optionId: chosen.optionId } }
}
