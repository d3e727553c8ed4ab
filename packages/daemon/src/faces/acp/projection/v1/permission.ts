import type { PermissionOption, RequestPermissionRequest, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk"
import type { Permission, PermissionKind, PermissionReply } from "@sandbox-agent/schema/request"
import { type Envelope, notification, ours, request } from "../envelope.ts"
import { text } from "./content.ts"
import { type Scope, update } from "./scope.ts"
import { diffContent, locationsIn } from "./tool.ts"

/** The replies as ACP options. An option's id is its kind: each kind is offered once. */
export const permissionOptions: Record<PermissionReply, PermissionOption> = {
  once: { optionId: "allow_once", name: "Allow once", kind: "allow_once" },
  always: { optionId: "allow_always", name: "Allow for this session", kind: "allow_always" },
  reject: { optionId: "reject_once", name: "Reject", kind: "reject_once" },
}

const kinds: Record<PermissionKind, ToolKind> = {
  command: "execute",
  file_change: "edit",
  network: "fetch",
  tool: "other",
  other: "other",
}

/** A request that a rule or the permission mode has answered already is nobody's to answer. */
export const permissionRequested = (permission: Permission, scope: Scope): Envelope[] =>
  permission.by === undefined
    ? [request(permission.permission_id, "session/request_permission", paramsOf(permission, scope))]
    : []

function paramsOf(permission: Permission, { sessionId }: Scope): RequestPermissionRequest {
  const { permission_id: permissionId, kind, action, detail = {}, choices, item_id: itemId } = permission
  const content: ToolCallContent[] = []
  if (typeof detail.description === "string") content.push({ type: "content", content: text(detail.description) })
  if (detail.diff) content.push(...diffContent(detail.path ?? "", detail.diff))
  const locations = locationsIn(detail)
  const toolCall = {
    toolCallId: toolCallIdOf(permission),
    title: titleOf(permission),
    kind: kinds[kind],
    status: "pending" as const,
    rawInput: detail.input ?? detail,
    ...(content.length > 0 && { content }),
    ...(locations.length > 0 && { locations }),
  }
  const options = choices.map((choice) => permissionOptions[choice])
  return { sessionId, toolCall, options, ...ours({ permissionId, kind, action, itemId }) }
}

/** What is really asked for: the command itself rather than its description. */
function titleOf({ kind, action, detail }: Permission): string {
  if (kind === "command" && detail?.command) return detail.command
  return detail?.path !== undefined && !action.includes(detail.path) ? `${action} ${detail.path}` : action
}

/** A request about nothing shown so far is a tool call of its own to a client. */
const toolCallIdOf = ({ call_id, permission_id }: Permission): string => call_id ?? permission_id

/** Whoever still shows it can take it away; the call goes on, or its result will tell. */
export function permissionResolved(permission: Permission, scope: Scope): Envelope[] {
  const { permission_id: requestId, status, by, call_id: call } = permission
  const accepted = status === "accept" || status === "accept_for_session"
  const toolCallId = toolCallIdOf(permission)
  const next = call !== undefined ? (accepted ? "in_progress" : undefined) : accepted ? "completed" : "failed"
  const meta = ours({ permissionId: requestId, decision: status, by })
  return [
    notification("$/cancel_request", { requestId }),
    ...(next === undefined
      ? []
      : [update(scope, { sessionUpdate: "tool_call_update", toolCallId, status: next, ...meta })]),
  ]
}
