import type { PermissionKind } from "@sandbox-agent/schema/request"
import type { NativeAnswer } from "../../core/driver.ts"
import type { NativePermission } from "../../core/driver-sink.ts"
import { list, record, text } from "../shared/json.ts"
import { commandOf, inputOf, nameOf, pathOf, type Tool } from "./tool.ts"
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
  const command = kind === "tool" ? undefined : commandOf(tool)
  const path = pathOf(tool)
  const diff = kind === "file_change" ? diffText(tool) : undefined
  const said = tool.content.flatMap((block) => text(record(record(block).content).text) ?? []).join("\n")
  const detail = {
    ...(command !== undefined && { command }),
    ...(path !== undefined && kind !== "command" && { path }),
    ...(diff !== undefined && { diff }),
    ...(said !== "" && { description: said }),
    ...(command === undefined && diff === undefined && { input: inputOf(tool) }),
  }
  const rules = [ruleOf(tool, kind, command, path)]
  return {
    type: "permission",
    kind,
    action: tool.title ?? nameOf(tool),
    detail,
    readOnly: harmless.includes(tool.kind ?? ""),
    covers: rules,
    always: rules,
    metadata: { tool: nameOf(tool), options: list(options) },
  }
}

const isMcp = (tool: Tool): boolean => /^mcp[_.]/.test(nameOf(tool))

/** What "always" means for the rest of the session: this command, every change of this file, else exactly this call. */
function ruleOf(tool: Tool, kind: PermissionKind, command: string | undefined, path: string | undefined): string {
  if (command !== undefined) return `run ${command}`
  if (kind === "file_change" && path !== undefined) return `edit ${path}`
  if (kind === "tool") return `tool ${nameOf(tool)}`
  return `${tool.kind ?? ""} ${nameOf(tool)} ${tool.title ?? ""} ${JSON.stringify(tool.input ?? {})}`
}

export const CANCELLED = { outcome: { outcome: "cancelled" } } as const

/**
 * The agent's own option for this answer, by its kind. One that holds for longer than this once is never chosen, though
 * some offer no other: then nothing was chosen. Of several the first that does not end the turn besides.
 */
export function outcomeOf(options: readonly unknown[], answer: NativeAnswer): object {
  const allowed = answer.kind === "question" || (answer.kind === "permission" && answer.reply === "once")
  const wanted = allowed ? "allow_once" : "reject_once"
  const fitting = list(options)
    .map(record)
    .filter((option) => option.kind === wanted)
  const chosen = fitting.find((option) => option.optionId !== "cancel") ?? fitting[0]
  return chosen === undefined ? CANCELLED : { outcome: { outcome: "selected", optionId: chosen.optionId } }
}
