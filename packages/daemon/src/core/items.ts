import type { ContentPart, DeltaPart, Item, ItemKind, ItemRole } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { boundPart } from "./bounds.ts"
import type { ItemEnd, NewItem } from "./driver.ts"
import type { OpenItem, Session } from "./session.ts"

const roles: Record<ItemKind, ItemRole | undefined> = {
  message: "assistant",
  tool_call: "assistant",
  tool_result: "tool",
  system: "system",
  status: undefined,
  unknown: undefined,
}

/** Starts an item. A key that is already open is the driver's fault and changes nothing. */
export function openItem(s: Session, n: NewItem): OpenItem {
  const open = s.items.get(n.key)
  if (open !== undefined) {
    s.fault("item_opened_twice", n.key)
    return open
  }
  if (s.doneKeys.has(n.key) && s.turn !== undefined) s.fault("item_reopened", n.key)
  if (s.items.size >= limits.openItems) failOldest(s)
  const content = (n.content ?? []).map(boundPart)
  const item: Item = {
    item_id: s.context.ids.next("item"),
    native_item_id: n.key,
    parent_id: parentOf(s, n.parent, content),
    turn_id: s.turn?.id,
    group: n.group,
    kind: n.kind,
    role: n.role ?? roles[n.kind],
    status: "in_progress",
    late: s.turn === undefined ? true : undefined,
    metadata: n.metadata,
    content,
  }
  return start(s, n.key, item)
}

function start(s: Session, key: string, item: Item, carried = 0): OpenItem {
  const startedSeq = s.append("item.started", { item })
  const opened: OpenItem = {
    key,
    item,
    startedSeq,
    texts: new Map(),
    length: 0,
    carried,
    deltaHead: `{"item_id":${JSON.stringify(item.item_id)},"native_item_id":${JSON.stringify(key)},"delta":`,
  }
  s.items.set(key, opened)
  s.context.store.write(() => s.context.rows.saveItem(s.record.uid, startedSeq, undefined, item))
  return opened
}

/** The hot path: one native chunk, one event. */
export function deltaItem(s: Session, key: string, part: DeltaPart, text: string, reset = false): void {
  const open = s.items.get(key) ?? upsert(s, key, part)
  if (open === undefined || (text === "" && !reset)) return
  let streamed = open.texts.get(part.index)
  if (streamed === undefined) {
    streamed = { type: part.type, text: "" }
    open.texts.set(part.index, streamed)
  }
  if (reset) {
    open.length -= streamed.text.length
    streamed.text = ""
  }
  if (open.length + text.length > limits.itemTextBytes) return overflow(s, open, part, text)
  streamed.text += text
  open.length += text.length
  const tail = `,"part":{"index":${part.index},"type":"${part.type}"}`
  for (let at = 0; at === 0 || at < text.length; at += limits.deltaBytes) {
    const piece = text.length <= limits.deltaBytes ? text : text.slice(at, at + limits.deltaBytes)
    const flags = reset && at === 0 ? ',"reset":true}' : "}"
    s.appendJson("item.delta", `${open.deltaHead}${JSON.stringify(piece)}${tail}${flags}`)
  }
}

/** Cumulative partials: the common beginning was sent already. */
export function snapshotItem(s: Session, key: string, part: DeltaPart, whole: string): void {
  const had = s.items.get(key)?.texts.get(part.index)?.text ?? ""
  if (whole.startsWith(had)) deltaItem(s, key, part, whole.slice(had.length))
  else deltaItem(s, key, part, whole, true)
}

export function closeItem(s: Session, key: string, end: ItemEnd): void {
  let open = s.items.get(key)
  if (open === undefined) {
    if (s.doneKeys.has(key) && s.turn !== undefined) return s.fault("item_closed_twice", key)
    if (s.turn !== undefined || end.content === undefined) s.fault("item_closed_unopened", key)
    open = openItem(s, { key, kind: kindOf(end.content), content: end.content })
  }
  if (end.content !== undefined && open.item.role === "assistant" && open.item.kind === "message") {
    sendMissingText(s, open, end.content)
    open = s.items.get(key) ?? open // it may have outgrown one item just now
  }
  const { item } = open
  const content = end.content === undefined ? folded(open) : withoutCarried(open, end.content).map(boundPart)
  complete(s, open, { ...item, status: end.status, metadata: reason(item, end.reason), content })
}

/** Ends an item that its agent will not end: what was streamed so far is the truth. */
export function failItem(s: Session, open: OpenItem, why: string): void {
  complete(
    s,
    open,
    { ...open.item, status: "failed", metadata: reason(open.item, why), content: folded(open) },
    "daemon",
  )
}

function complete(s: Session, open: OpenItem, item: Item, source?: "daemon"): void {
  const sequence = s.append("item.completed", { item }, source)
  s.items.delete(open.key)
  if (s.turn !== undefined) s.doneKeys.set(open.key, item.item_id)
  for (const part of item.content) {
    if (part.type === "tool_call" && item.kind === "tool_call" && s.turn !== undefined)
      s.calls.set(part.call_id, { itemId: item.item_id, parentId: item.parent_id, answered: false })
    if (part.type === "tool_result") {
      const call = s.calls.get(part.call_id)
      if (call !== undefined) call.answered = true
    }
  }
  s.context.store.write(() => s.context.rows.saveItem(s.record.uid, open.startedSeq, sequence, item))
}

/** An item that is whole at once: started and completed. */
export function wholeItem(
  s: Session,
  item: Omit<Item, "item_id" | "status">,
  status: "completed" | "failed",
  source?: "daemon",
  replayed?: boolean,
): string {
  const whole: Item = { item_id: s.context.ids.next("item"), status: "in_progress", ...item }
  const startedSeq = s.append("item.started", { item: { ...whole, status: "in_progress" } }, source, replayed)
  const done: Item = { ...whole, status }
  const completedSeq = s.append("item.completed", { item: done }, source, replayed)
  s.context.store.write(() => s.context.rows.saveItem(s.record.uid, startedSeq, completedSeq, done))
  return whole.item_id
}

/** The item as it stands now, with what was streamed. */
export function folded(open: OpenItem): ContentPart[] {
  const content = [...open.item.content]
  for (const [index, { type, text }] of open.texts) {
    const part = content[index]
    if (part === undefined) content[index] = newPart(type, text, open.item)
    else if (part.type === "text" || part.type === "reasoning") content[index] = { ...part, text }
    else if (part.type === "tool_call") content[index] = { ...part, arguments: text }
    else if (part.type === "tool_result") content[index] = { ...part, output: text }
  }
  return content.filter((part) => part !== undefined).map(boundPart)
}

function newPart(type: string, text: string, item: Item): ContentPart {
  if (type === "reasoning") return { type: "reasoning", text, visibility: "private" }
  if (type === "output") return { type: "tool_result", call_id: item.native_item_id ?? item.item_id, output: text }
  if (type === "arguments")
    return { type: "tool_call", name: "unknown", arguments: text, call_id: item.native_item_id ?? item.item_id }
  return { type: "text", text }
}

/** Makes the deltas add up to the final text: the missing tail, or all of it again where they contradict. */
function sendMissingText(s: Session, open: OpenItem, content: ContentPart[]): void {
  content.forEach((part, index) => {
    if (part.type !== "text" && part.type !== "reasoning") return
    const had = open.texts.get(index)?.text ?? ""
    const want = index === 0 ? part.text.slice(open.carried) : part.text
    if (want === had) return
    const ref: DeltaPart = { index, type: part.type }
    const saved = s.raw
    s.raw = 0 // the agent never said it this way: the delta is ours
    if (want.startsWith(had)) deltaItem(s, open.key, ref, want.slice(had.length))
    else {
      s.fault("deltas_contradict_final", open.key)
      deltaItem(s, open.key, ref, want, true)
    }
    s.raw = saved
  })
}

/** A delta for a key nobody opened: the item is made, so that no text is lost. */
function upsert(s: Session, key: string, part: DeltaPart): OpenItem | undefined {
  if (s.doneKeys.has(key) && s.turn !== undefined) {
    s.fault("delta_after_close", key)
    return undefined
  }
  if (s.turn !== undefined) s.fault("delta_unopened", key)
  const kind: ItemKind = part.type === "output" ? "tool_result" : part.type === "arguments" ? "tool_call" : "message"
  return openItem(s, { key, kind })
}

/** Text beyond the limit of one item goes on in a new one of the same group. */
function overflow(s: Session, open: OpenItem, part: DeltaPart, text: string): void {
  complete(s, open, {
    ...open.item,
    status: "completed",
    metadata: reason(open.item, "continued"),
    content: folded(open),
  })
  s.doneKeys.delete(open.key)
  const { item } = open
  const next = { ...item, item_id: s.context.ids.next("item"), content: [], metadata: reason(item, "continuation") }
  start(s, open.key, next, open.carried + (open.texts.get(0)?.text.length ?? 0))
  for (let at = 0; at < text.length; at += limits.itemTextBytes)
    deltaItem(s, open.key, { ...part, index: 0 }, text.slice(at, at + limits.itemTextBytes))
}

function withoutCarried(open: OpenItem, content: ContentPart[]): ContentPart[] {
  const first = content[0]
  if (open.carried === 0 || (first?.type !== "text" && first?.type !== "reasoning")) return content
  return [{ ...first, text: first.text.slice(open.carried) }, ...content.slice(1)]
}

function failOldest(s: Session): void {
  const oldest = s.items.values().next().value
  if (oldest === undefined) return
  s.fault("too_many_open_items", oldest.key)
  failItem(s, oldest, "lost")
}

function parentOf(s: Session, parent: string | undefined, content: ContentPart[]): string | undefined {
  for (const part of content)
    if (part.type === "tool_result") {
      const call = s.calls.get(part.call_id)
      if (call !== undefined) return call.parentId
    }
  if (parent === undefined) return undefined
  return s.items.get(parent)?.item.item_id ?? s.doneKeys.get(parent)
}

const kindOf = (content: ContentPart[] | undefined): ItemKind => {
  const type = content?.[0]?.type
  return type === "tool_call" ? "tool_call" : type === "tool_result" ? "tool_result" : "message"
}

const reason = (item: Item, why: string | undefined): Item["metadata"] =>
  why === undefined ? item.metadata : { ...item.metadata, reason: why }
