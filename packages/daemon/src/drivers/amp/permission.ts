import type { PermissionKind } from "@sandbox-agent/schema/request"
import type { NativePermission } from "../../core/driver-sink.ts"
import { toolPermission } from "../shared/tool-permission.ts"
import type { Ask } from "./ask.ts"
import { commandOf, commandTools, fileTools, networkTools, pathOf } from "./tools.ts"

/** A tool that wants to run. `diff`: what it would do to a file. */
export function permissionOf({ tool, input }: Ask, diff?: string): NativePermission {
  const kind = kindOf(tool)
  const command = kind === "command" ? commandOf(input) : undefined
  // A patch names its files in its text, whatever stands beside it.
  const path = kind === "file_change" && tool !== "apply_patch" ? pathOf(input) : undefined
  return toolPermission({ tool, input, kind, command, path, diff })
}

function kindOf(tool: string): PermissionKind {
  if (commandTools.includes(tool)) return "command"
  if (fileTools.includes(tool)) return "file_change"
  if (tool.startsWith("mcp__") || tool.startsWith("tb__")) return "tool"
  return networkTools.includes(tool) ? "network" : "other"
}
