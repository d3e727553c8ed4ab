import type { PermissionKind } from "@sandbox-agent/schema/request"
import type { NativePermission } from "../../core/driver-sink.ts"
import type { Json } from "../shared/json.ts"
import type { Ask } from "./ask.ts"
import { commandOf, commandTools, fileTools, networkTools, pathOf } from "./tools.ts"

/** A tool that wants to run, as the core's policy and a person see it. `diff`: what it would do to a file. */
export function permissionOf({ tool, input }: Ask, diff?: string): NativePermission {
  const kind = kindOf(tool)
  const command = kind === "command" ? commandOf(input) : undefined
  const path = kind === "file_change" ? pathOf(input) : undefined
  const shown = command !== undefined || diff !== undefined
  const rules = [ruleOf(tool, input, path)]
  return {
    type: "permission",
    kind,
    action: tool,
    detail: {
      ...(command !== undefined && { command }),
      ...(path !== undefined && { path }),
      ...(diff !== undefined && { diff }),
      ...(!shown && { input }),
    },
    covers: rules,
    always: rules,
    metadata: { tool, rules },
  }
}

function kindOf(tool: string): PermissionKind {
  if (commandTools.includes(tool)) return "command"
  if (fileTools.includes(tool)) return "file_change"
  if (tool.startsWith("mcp__") || tool.startsWith("tb__")) return "tool"
  return networkTools.includes(tool) ? "network" : "other"
}

/** What "always" means for the rest of the session: every change of the same file, else exactly this call. */
const ruleOf = (tool: string, input: Json, path: string | undefined): string =>
  path === undefined ? `${tool} ${JSON.stringify(input)}` : `edit ${path}`
