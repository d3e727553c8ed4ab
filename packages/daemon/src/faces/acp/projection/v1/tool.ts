import type { ToolCall, ToolCallContent, ToolCallLocation, ToolCallUpdate, ToolKind } from "@agentclientprotocol/sdk"
import type { EventData } from "@sandbox-agent/schema/event"
import type { ContentPart, Item } from "@sandbox-agent/schema/item"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { type Envelope, isRecord, ours } from "../envelope.ts"
import { callIdOf, type ItemHead } from "../head.ts"
import { blockOf, text } from "./content.ts"
import { changesOf } from "./diff.ts"
import { type Scope, update } from "./scope.ts"

type CallPart = Extract<ContentPart, { type: "tool_call" }>
type ResultPart = Extract<ContentPart, { type: "tool_result" }>

/** The call as far as it is known: its arguments may still come. */
export function toolCall(item: Item, status: ToolCall["status"], scope: Scope): Envelope {
  return update(scope, { sessionUpdate: "tool_call", ...callFields(item, scope), status })
}

/** Its arguments are final. It runs, or a permission sets it back to pending. */
export function callCompleted(item: Item, scope: Scope): Envelope {
  const status = item.status === "failed" ? "failed" : "in_progress"
  return update(scope, { sessionUpdate: "tool_call_update", ...callFields(item, scope), status })
}

function callFields(item: Item, scope: Scope): ToolCall {
  const toolCallId = callIdOf(item)
  const part = item.content.find((each): each is CallPart => each.type === "tool_call")
  const kind = toolKind(part?.kind)
  const rawInput = part === undefined ? undefined : inputOf(part.arguments, item.status)
  const live = scope.traits.output !== undefined && kind === "execute"
  const content: ToolCallContent[] = live ? [{ type: "terminal", terminalId: toolCallId }] : filesOf(item, scope)
  const locations = [...locationsIn(rawInput), ...locationsOf(item)]
  const meta = ours({ itemId: item.item_id, parentId: item.parent_id, reason: item.metadata?.reason })
  return {
    toolCallId,
    title: part?.title || part?.name || "unknown",
    name: part?.name,
    kind,
    ...(rawInput !== undefined && { rawInput }),
    ...(content.length > 0 && { content }),
    ...(locations.length > 0 && { locations }),
    _meta: { ...meta._meta, ...(live && { terminal_info: { terminal_id: toolCallId } }) },
  }
}

/** The whole of a result: in ACP content replaces, so this is also what remains of the output streamed before. */
export function resultCompleted(item: Item, scope: Scope): Envelope {
  const part = item.content.find((each): each is ResultPart => each.type === "tool_result")
  const failed = item.status === "failed" || part?.is_error === true
  const content: ToolCallContent[] = [
    ...(part === undefined || part.output === "" ? [] : [{ type: "content" as const, content: text(part.output) }]),
    ...filesOf(item, scope),
  ]
  const locations = locationsOf(item)
  const { metadata, parent_id: parentId, item_id: itemId, late } = item
  const { detached, truncated } = part ?? {}
  const toolCallId = callIdOf(item)
  const meta = ours({ itemId, parentId, detached, truncated, late, reason: metadata?.reason })
  return update(scope, {
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: failed ? "failed" : "completed",
    ...(content.length > 0 && { content }),
    ...(locations.length > 0 && { locations }),
    ...(part !== undefined && { rawOutput: part.output }),
    _meta: { ...meta._meta, ...(scope.traits.output && { terminal_exit: { terminal_id: toolCallId } }) },
  })
}

/** A result that is still coming, as far as it has come. */
export function resultSoFar(item: Item, scope: Scope): Envelope[] {
  const part = item.content.find((each): each is ResultPart => each.type === "tool_result")
  if (part === undefined || part.output === "") return []
  return [outputUpdate(callIdOf(item), { delta: part.output }, item.parent_id, scope)]
}

type Output = Pick<EventData<"item.delta">, "delta" | "reset">

/** Output of a running command. As content it would have to be repeated whole with every piece. */
export function outputDelta(output: Output, head: ItemHead | undefined, scope: Scope): Envelope[] {
  return head?.callId === undefined ? [] : [outputUpdate(head.callId, output, head.parentId, scope)]
}

/** Home, and nothing left on the screen or above it. */
const CLEAR = "\u001b[H\u001b[2J\u001b[3J"

function outputUpdate(toolCallId: string, { delta, reset }: Output, parentId: string | undefined, scope: Scope) {
  const { output: key } = scope.traits
  const body: ToolCallUpdate = { toolCallId, status: "in_progress" }
  if (key === undefined) Object.assign(body, ours({ output: delta, reset, parentId }))
  else
    body._meta = {
      [key]: { terminal_id: toolCallId, data: reset ? CLEAR + delta : delta },
      ...ours({ parentId })._meta,
    }
  return update(scope, { sessionUpdate: "tool_call_update", ...body })
}

/** Files and pictures beside the text of a call or a result. */
function filesOf(item: Item, scope: Scope): ToolCallContent[] {
  return item.content.flatMap((part) => {
    if (part.type === "file_ref") return part.diff ? diffContent(part.path, part.diff) : []
    if (part.type === "text" && part.text !== "") return [{ type: "content" as const, content: text(part.text) }]
    const block = blockOf(part, scope)
    return block === undefined ? [] : [{ type: "content" as const, content: block }]
  })
}

export function diffContent(path: string, diff: string): ToolCallContent[] {
  const changes = changesOf(diff)
  // Not a unified diff, or only a new name: shown as it was given.
  if (changes.length === 0)
    return [{ type: "content", content: text(`\`\`\`diff\n${diff.replace(/\n$/, "")}\n\`\`\``) }]
  return changes.map(({ oldText, newText }) => ({ type: "diff", path, oldText, newText }))
}

function locationsOf(item: Item): ToolCallLocation[] {
  return item.content.flatMap((part) =>
    part.type === "file_ref" ? [{ path: part.path, line: changesOf(part.diff ?? "")[0]?.line }] : [],
  )
}

const pathNames = ["path", "file_path", "filePath", "notebook_path"]

/** Where a tool is about to work, by the names that agents give to a path. */
export function locationsIn(input: unknown): ToolCallLocation[] {
  if (!isRecord(input)) return []
  const paths = pathNames.map((name) => input[name])
  return paths
    .filter((path) => typeof path === "string" && path.startsWith("/"))
    .map((path) => ({ path: String(path) }))
}

/** Arguments that are cut, or that were never JSON, are passed on as the text they are once nothing more will come. */
function inputOf(json: string, status: Item["status"]): unknown {
  if (json === "") return undefined
  try {
    return parseOfAgent(json)
  } catch {
    return status === "in_progress" ? undefined : json
  }
}

const kinds: readonly string[] = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] satisfies ToolKind[]

const toolKind = (kind: string | undefined): ToolKind =>
  kind !== undefined && kinds.includes(kind) ? (kind as ToolKind) : "other"
