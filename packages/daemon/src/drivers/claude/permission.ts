import type { PermissionKind } from "@sandbox-agent/schema/request"
import type { NativePermission } from "../../core/driver-sink.ts"
import { text } from "../shared/json.ts"
import { together } from "../shared/rule-keys.ts"
import type { Suggestion, ToolAsk } from "./native.ts"
import { fileTools, networkTools, pathOf } from "./tool-call.ts"

/**
 * A tool that wants to run, as the core's policy and a person see it. `diff`: what it would do to a file; `guarded`: to one
 * that decides what is asked for, which it counts as where nobody could look.
 */
export function permissionOf(
  ask: ToolAsk,
  diff?: string,
  guarded = fileTools.includes(ask.tool_name),
): NativePermission {
  const { tool_name: name, input } = ask
  const kind = kindOf(name)
  const command = kind === "command" ? text(input.command) : undefined
  const path = kind === "file_change" ? pathOf(input) : ask.blocked_path
  const detail = {
    ...(command !== undefined && { command }),
    ...(path !== undefined && { path }),
    ...(diff !== undefined && { diff }),
    ...(ask.description !== undefined && { description: ask.description }),
    ...(ask.mcp_server?.name !== undefined && { server: ask.mcp_server.name }),
    ...(command === undefined && diff === undefined && { input }),
  }
  const rules = ruleKeys(ask)
  const reason = ask.decision_reason
  return {
    type: "permission",
    kind,
    action: name,
    detail,
    ...(guarded && { guarded }),
    covers: rules,
    always: rules,
    metadata: { tool: ask.display_name ?? name, rules, ...(reason !== undefined && { reason }) },
  }
}

function kindOf(name: string): PermissionKind {
  if (name === "Bash" || name === "Monitor") return "command"
  if (fileTools.includes(name)) return "file_change"
  if (name.startsWith("mcp__")) return "tool"
  return networkTools.includes(name) ? "network" : "other"
}

/**
 * What "always" means for the rest of the session: the rules Claude Code itself would write down, else every change of
 * the same file, else exactly this call. Rules it wants together count together: one alone must not let the rest pass.
 */
function ruleKeys({ tool_name: name, input, permission_suggestions: suggestions = [] }: ToolAsk): string[] {
  const rules = suggestions.flatMap(allowed)
  if (rules.length > 0 && input.dangerouslyDisableSandbox !== true) return [together("", rules)]
  const path = fileTools.includes(name) ? pathOf(input) : undefined
  return [path === undefined ? `${name} ${JSON.stringify(input)}` : `edit ${path}`]
}

const allowed = ({ type, behavior, rules = [] }: Suggestion): string[] =>
  type === "addRules" && behavior === "allow"
    ? rules.map(({ toolName, ruleContent }) => (ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`))
    : []
