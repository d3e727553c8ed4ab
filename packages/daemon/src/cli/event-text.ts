import type { Stderr } from "@sandbox-agent/schema/error"
import type { Event } from "@sandbox-agent/schema/event"
import type { ContentPart, Item } from "@sandbox-agent/schema/item"
import type { Permission } from "@sandbox-agent/schema/request"

/** One content part in words. */
export function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text
    case "json":
      return JSON.stringify(part.json)
    case "tool_call":
      return `${part.title ?? part.name} ${part.arguments}`
    case "tool_result":
      return part.output
    case "file_ref":
      return `${part.action} ${part.path}`
    case "image":
      return `image ${part.path ?? part.blob ?? ""}`
    case "status":
      return part.detail ? `${part.label}: ${part.detail}` : part.label
    default:
      return JSON.stringify(part)
  }
}

export const itemText = (item: Item): string => item.content.map(partText).join("\n")

/** What a permission is about, in one line. */
export function permissionText(permission: Permission): string {
  const subject = permission.detail?.command ?? permission.detail?.path
  const what = subject && !permission.action.includes(subject) ? `${permission.action}: ${subject}` : permission.action
  return [what, ...besideSubject(permission)].join(" ")
}

/** What else a permission is about, beside its command or its file and the diff. */
export function besideSubject({ detail = {}, reason }: Permission): string[] {
  const { command, path, paths, diff, input } = detail
  const others = Array.isArray(paths) ? paths.filter((one) => one !== path).map((one) => `and ${one}`) : []
  const isMore = input !== undefined && (command !== undefined || diff !== undefined)
  return [...others, ...(isMore ? [`with ${JSON.stringify(input)}`] : []), ...(reason ? [`(${reason})`] : [])]
}

/** Lines of what a program that ended said on stderr; its last ones mostly tell why. */
const stderrLines = 12

/** The end of what was kept of a stderr. */
export function stderrText(stderr: Stderr | undefined): string {
  const kept = [stderr?.head, stderr?.tail].filter((text) => text !== undefined).join("\n")
  const lines = kept.trimEnd().split("\n")
  const left = (stderr?.total_lines ?? lines.length) - stderrLines
  return left > 0 ? `… ${left} lines before\n${lines.slice(-stderrLines).join("\n")}` : lines.join("\n")
}

/** An event in a few words, for lists. */
export function summaryOf(event: Event): string {
  switch (event.type) {
    case "item.started":
    case "item.completed":
      return `${event.data.item.role ?? event.data.item.kind} ${event.data.item.status} ${itemText(event.data.item)}`.trim()
    case "item.delta":
      return event.data.delta
    case "turn.started":
      return event.data.origin
    case "turn.ended":
      return event.data.error ? `${event.data.stop_reason}: ${event.data.error.message}` : event.data.stop_reason
    case "message.updated":
      return `${event.data.message_id} ${event.data.state}`
    case "permission.requested":
    case "permission.resolved":
      return `${event.data.permission_id} ${event.data.status} ${permissionText(event.data)}`
    case "question.requested":
    case "question.resolved":
      return `${event.data.question_id} ${event.data.status} ${event.data.prompt}`
    case "error":
      return event.data.message
    default:
      return JSON.stringify(event.data)
  }
}
