import type { NativePermission } from "../../core/driver-sink.ts"
import { together } from "../shared/rule-keys.ts"
import { commandText } from "./commands.ts"
import { diffOf, pathsOf } from "./files.ts"
import type { CommandApproval, Elicitation, FileApproval, FileChange, Item, PermissionsApproval } from "./native.ts"
import { readsOnly } from "./read-only.ts"
import { mcpName } from "./tools.ts"

/** A command that wants to run. "Always" means this very text in this folder. */
export function commandPermission(ask: CommandApproval): NativePermission {
  const { cwd, reason, networkApprovalContext: network, additionalPermissions: permissions, kind } = ask
  const command = commandText({ command: ask.command ?? "", commandActions: ask.commandActions ?? [] })
  // Where it runs, and what it may do beyond the text, is part of what was allowed.
  const beside = [cwd ? { cwd } : undefined, network, permissions]
  const more = beside.filter((one) => one != null).map((one) => ` ${JSON.stringify(one)}`)
  // The words as they came: those that are shown are unwrapped, and two commands could look the same.
  const typed = kind === "writeStdin"
  // Of what is typed into a program only the model's call tells what it is: no rule covers it.
  const rules = typed ? [] : [`command ${ask.command ?? ""}${more.join("")}`]
  return {
    type: "permission",
    kind: network ? "network" : "command",
    action: typed ? "write_stdin" : "exec_command",
    detail: {
      ...(command !== "" && { command }),
      ...(cwd && { cwd }),
      ...(reason && { reason }),
      ...(network && { network }),
      ...(permissions != null && { permissions }),
    },
    readOnly: !typed && !network && permissions == null && readsOnly(command),
    covers: rules,
    always: rules,
    metadata: { tool: typed ? "write_stdin" : "exec_command", rules },
  }
}

/** Files that go together count together: one that was allowed must not let the rest pass. */
export function filePermission({ reason, grantRoot }: FileApproval, changes: readonly FileChange[]): NativePermission {
  const paths = pathsOf(changes)
  const [path] = paths
  const rules = [together("edit ", [...paths, ...(grantRoot ? [grantRoot] : [])])]
  return {
    type: "permission",
    kind: "file_change",
    action: "apply_patch",
    detail: {
      ...(path !== undefined && { path }),
      ...(paths.length > 1 && { paths }),
      ...(changes.length > 0 && { diff: changes.map(diffOf).join("") }),
      ...(reason && { reason }),
      ...(grantRoot && { grantRoot }),
    },
    covers: paths.length === 0 ? [] : rules,
    always: paths.length === 0 ? [] : rules,
    metadata: { tool: "apply_patch", rules },
  }
}

/** More rights for the rest of a turn. */
export function morePermission({ permissions = {}, reason, cwd }: PermissionsApproval): NativePermission {
  const rules = [`permissions ${JSON.stringify(permissions)}`]
  return {
    type: "permission",
    kind: permissions.fileSystem ? "file_change" : "network",
    action: "request_permissions",
    detail: { permissions, ...(reason && { reason }), ...(cwd && { cwd }) },
    covers: rules,
    always: rules,
    metadata: { tool: "request_permissions", rules },
  }
}

/** A tool of an MCP server. It comes as an elicitation that names the tool in its text alone. */
export function mcpPermission(ask: Elicitation, call: Item | undefined): NativePermission {
  const { serverName: server, _meta: meta, message = "" } = ask
  const tool = call?.tool ?? /run tool "([^"]+)"/.exec(message)?.[1] ?? "unknown"
  const rules = [`mcp ${server} ${tool}`]
  return {
    type: "permission",
    kind: "tool",
    action: mcpName(server, tool),
    detail: {
      server,
      tool,
      input: call?.arguments ?? meta?.tool_params ?? {},
      ...(meta?.tool_description && { description: meta.tool_description }),
    },
    covers: rules,
    always: rules,
    metadata: { tool: mcpName(server, tool), rules },
  }
}
