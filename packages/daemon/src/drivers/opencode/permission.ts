import { resolve } from "node:path"
import type { PermissionKind } from "@sandbox-agent/schema/request"
import type { NativePermission } from "../../core/driver-sink.ts"
import { type Json, record, text } from "../shared/json.ts"
import { together } from "../shared/rule-keys.ts"
import type { PermissionRequest } from "./native.ts"

/** A tool that wants to run, as the core's policy and a person see it. */
export function permissionOf(asked: PermissionRequest, input: Json, directory: string): NativePermission {
  const { permission, patterns } = asked
  const metadata = record(asked.metadata)
  const kind = kindOf(permission)
  const command = text(metadata.command) ?? (kind === "command" ? text(input.command) : undefined)
  const path = text(metadata.filepath) ?? text(input.filePath)
  const diff = text(metadata.diff)
  const detail = {
    ...(command !== undefined && { command }),
    ...(path !== undefined && { path: resolve(directory, path) }),
    ...(diff !== undefined && { diff }),
    patterns,
    ...(command === undefined && diff === undefined && Object.keys(input).length > 0 && { input }),
  }
  const rules = ruleKeys(asked)
  return {
    type: "permission",
    kind,
    action: permission,
    detail,
    readOnly: reads.includes(permission),
    covers: rules,
    always: rules,
    metadata: { permission, rules: asked.always },
  }
}

/** Also leave to look outside of the directory: what wants to write there asks for that as well. */
const reads = ["read", "glob", "grep", "list", "lsp", "skill", "external_directory"]

function kindOf(permission: string): PermissionKind {
  if (permission === "bash") return "command"
  if (permission === "edit") return "file_change"
  if (permission === "webfetch" || permission === "websearch" || permission === "codesearch") return "network"
  return [...reads, "task", "doom_loop", "todowrite"].includes(permission) ? "other" : "tool"
}

/** What OpenCode itself would allow from then on. Patterns it wants together count together: one must not let the rest pass. */
function ruleKeys({ permission, always, patterns }: PermissionRequest): string[] {
  const wanted = always.length > 0 ? always : patterns
  const keys = wanted.map((pattern) => `${permission}:${pattern}`)
  return keys.length === 0 ? [] : [together("", keys)]
}
