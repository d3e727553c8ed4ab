import type { PermissionKind } from "@sandbox-agent/schema/request"
import type { NativePermission } from "../../core/driver-sink.ts"
import { type Json, text } from "../shared/json.ts"
import { toolPermission } from "../shared/tool-permission.ts"
import { commandTool, fileTools, pathOf } from "./tools.ts"

/** A tool that wants to run, as our extension tells it. */
export interface ToolAsk {
  call: string
  tool: string
  input: Json
}

/** `diff`: what it would do to a file. */
export function permissionOf({ tool, input }: ToolAsk, diff?: string): NativePermission {
  const kind = kindOf(tool)
  const command = kind === "command" ? text(input.command) : undefined
  const path = kind === "file_change" ? pathOf(input) : undefined
  return toolPermission({ tool, input, kind, command, path, diff })
}

function kindOf(tool: string): PermissionKind {
  if (tool === commandTool) return "command"
  if (fileTools.includes(tool)) return "file_change"
  return tool.startsWith("mcp__") ? "tool" : "other"
}
