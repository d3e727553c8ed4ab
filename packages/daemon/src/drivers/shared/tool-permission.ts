import type { PermissionKind } from "@sandbox-agent/schema/request"
import type { NativePermission } from "../../core/driver-sink.ts"
import type { Json } from "./json.ts"

/** A tool that wants to run, as its agent names it and calls it. */
export interface WantedTool {
  tool: string
  input: Json
  kind: PermissionKind
  /** What it would run, where its kind is a command. */
  command: string | undefined
  /** The file that it would change, and how. */
  path: string | undefined
  diff: string | undefined
}

/** As the core's policy and a person see it. */
export function toolPermission({ tool, input, kind, command, path, diff }: WantedTool): NativePermission {
  const shown = command !== undefined || diff !== undefined
  // "Always" means every change of the same file, else exactly this call.
  const rules = [path === undefined ? `${tool} ${JSON.stringify(input)}` : `edit ${path}`]
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
