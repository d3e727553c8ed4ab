import { splitAtBytes } from "@sandbox-agent/schema/byte-length"
import type { ContentPart, DeltaPart, Item, ItemKind, ItemRole } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { boundData, boundPart } from "./bounds.ts"
import type { ItemEnd, NewItem } from "./driver-sink.ts"
import { deltaData, deltaHead } from "./event-text.ts"
import { boundWhole, emptied, folded, isAssistantText, isText, kindOf, streamedValue, takes } from "./item-parts.ts"
import type { OpenItem, Session, Streamed } from "./session.ts"

/** Characters that may lie about in pieces. */
const PIECES = 4_096

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
  const given = n.content ?? []
  const role = n.role ?? roles[n.kind]
  // What an assistant says at once is streamed too, so that its deltas are always the whole text.
  const streams = isAssistantText({ kind: n.kind, role })
  const content = given.map((part) => (streams && isText(part) ? emptied(part) : boundWhole(part)))
  const item: Item = {
    item_id: s.context.ids.next("item"),
    native_item_id: n.key,
    parent_id: parentOf(s, n.parent, content),
    turn_id: s.turn?.id,
    group: n.group,
    kind: n.kind,
    role,
    status: "in_progress",
    late: s.turn === undefined ? true : undefined,
    metadata: n.metadata && boundData(n.metadata, limits.eventBytes / 4),
    content,
  }
  const started = start(s, n.key, item)
  given.forEach((part, index) => {
    if (streams && isText(part) && part.text !== "")
      stream(s, s.items.get(n.key) ?? started, { index, type: part.type }, part.text)
  })
  return s.items.get(n.key) ?? started
}

function start(s: Session, key: string, item: Item, carried: OpenItem["carried"] = new Map()): OpenItem {
  const startedSeq = s.append("item.started", { item })
  const opened: OpenItem = {
    key,
    item,
    startedSeq,
    texts: new Map(),
    length: 0,
    carried,
    deltaHead: deltaHead(item.item_id, key),
  }
  s.items.set(key, opened)
  s.saveRow("item", item.item_id, (rows, uid) => rows.saveItem(uid, startedSeq, undefined, item))
  return opened
}

/** The hot path: one native chunk, one event. */
export function deltaItem(s: Session, key: string, part: DeltaPart, text: string): void {
  const open = s.items.get(key) ?? upsert(s, key, part)
  if (open === undefined || text === "") return
  if (!takes(open, part)) return s.fault("delta_on_wrong_part", key)
  stream(s, open, part, text)
}

/** Cumulative partials: the common beginning was sent already. */
export function snapshotItem(s: Session, key: string, part: DeltaPart, whole: string): void {
  const open = s.items.get(key) ?? upsert(s, key, part)
  if (open === undefined) return
  if (!takes(open, part)) return s.fault("delta_on_wrong_part", key)
  const rest = whole.slice(open.carried.get(part.index) ?? 0)
  const had = open.texts.get(part.index)?.text ?? streamedValue(open.item.content[part.index])
  if (!rest.startsWith(had)) stream(s, open, part, rest, true)
  else if (rest !== had) stream(s, open, part, rest.slice(had.length))
}

function stream(s: Session, open: OpenItem, part: DeltaPart, text: string, reset = false): void {
  let streamed = open.texts.get(part.index)
  if (streamed === undefined) {
    const had = streamedValue(open.item.content[part.index])
    streamed = { type: part.type, text: had, bytes: Buffer.byteLength(had), joined: 0 }
    open.texts.set(part.index, streamed)
    open.length += streamed.bytes
  }
  if (reset) {
    open.length -= streamed.bytes
    streamed.text = ""
    streamed.bytes = 0
    streamed.joined = 0
    streamed.type = part.type
  }
  const room = Math.max(0, limits.itemTextBytes - open.length)
  const [now, beyond] = splitAtBytes(text, room)
  const bytes = Buffer.byteLength(now)
  streamed.text += now
  streamed.bytes += bytes
  join(streamed)
  open.length += bytes
  if (now !== "" || reset) appendDelta(s, open, part, now, reset)
  if (beyond !== "") stream(s, continueInNewItem(s, open), part, beyond)
}

/** Pieces that are only strung together are all kept; each time a text has grown by an eighth it is made one. */
function join(streamed: Streamed): void {
  const { text, joined } = streamed
  if (text.length < PIECES + joined * 1.125) return
  Buffer.byteLength(text) // whoever looks into it has it put together
  streamed.joined = text.length
}

function appendDelta(s: Session, open: OpenItem, part: DeltaPart, text: string, reset: boolean): void {
  const [piece, rest] = splitAtBytes(text, limits.deltaBytes)
  s.appendJson("item.delta", deltaData(open.deltaHead, piece, part, reset))
  if (rest !== "") appendDelta(s, open, part, rest, false)
}

/** Text beyond the limit of one item goes on in a new one of the same group, part by part. */
function continueInNewItem(s: Session, open: OpenItem): OpenItem {
  const { item, key } = open
  const whole = folded(open)
  complete(s, open, { ...item, status: "completed", metadata: reason(item, "continued"), content: whole })
  s.doneKeys.delete(key)
  const carried = new Map(open.carried)
  for (const [index, { text }] of open.texts) carried.set(index, (carried.get(index) ?? 0) + text.length)
  const content = whole.map(emptied)
  const metadata = reason(item, "continuation")
  return start(s, key, { ...item, item_id: s.context.ids.next("item"), content, metadata }, carried)
}

export function closeItem(s: Session, key: string, end: ItemEnd): void {
  let open = s.items.get(key)
  if (open === undefined) {
    if (s.doneKeys.has(key) && s.turn !== undefined) return s.fault("item_closed_twice", key)
    if (s.turn !== undefined || end.content === undefined) s.fault("item_closed_unopened", key)
    open = openItem(s, { key, kind: kindOf(end.content), content: end.content })
  }
  if (end.content !== undefined) open = sendMissingText(s, open, end.content)
  const { item } = open
  const content = end.content === undefined ? folded(open) : finalContent(open, end.content)
  complete(s, open, { ...item, status: end.status, metadata: reason(item, end.reason), content })
}

/** Ends an item that its agent will not end: what was streamed so far is the truth. */
export function failItem(s: Session, open: OpenItem, why: string): void {
  const { item } = open
  complete(s, open, { ...item, status: "failed", metadata: reason(item, why), content: folded(open) }, "daemon")
}

function complete(s: Session, open: OpenItem, item: Item, source?: "daemon"): void {
  const sequence = s.append("item.completed", { item }, source)
  s.items.delete(open.key)
  if (s.turn !== undefined) s.doneKeys.set(open.key, item.item_id)
  for (const part of item.content) {
    if (part.type === "tool_call" && item.kind === "tool_call")
      s.calls.set(part.call_id, {
        itemId: item.item_id,
        parentId: item.parent_id,
        turnId: item.turn_id,
        answered: false,
      })
    if (part.type === "tool_result") {
      const call = s.calls.get(part.call_id)
      if (call !== undefined && part.detached) s.calls.set(part.call_id, { ...call, answered: true, detached: true })
      else if (call !== undefined && (call.turnId === undefined || call.detached)) s.calls.delete(part.call_id)
      else if (call !== undefined) s.calls.set(part.call_id, { ...call, answered: true })
    }
  }
  s.saveRow("item", item.item_id, (rows, uid) => rows.saveItem(uid, open.startedSeq, sequence, item))
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
  s.saveRow("item", done.item_id, (rows, uid) => rows.saveItem(uid, startedSeq, completedSeq, done))
  return whole.item_id
}

/** Makes the deltas add up to the final text: the missing tail, or all of it again where they contradict. */
function sendMissingText(s: Session, first: OpenItem, content: ContentPart[]): OpenItem {
  const { key } = first
  const saved = s.raw
  s.raw = 0 // the agent never said it this way: the delta is ours
  for (const index of new Set([...content.keys(), ...first.texts.keys()])) {
    const open = s.items.get(key) ?? first // it may have outgrown one item just now
    const part = content[index]
    const streamed = open.texts.get(index)
    const promised = isAssistantText(open.item) && isText(part)
    if (!promised && !isTextType(streamed?.type)) continue
    // Arguments or output where the final says text: nothing of it was right.
    const wrong = streamed !== undefined && !isTextType(streamed.type)
    const had = streamed?.text ?? ""
    const want = isText(part) ? part.text.slice(open.carried.get(index) ?? 0) : ""
    if (want === had && !wrong) continue
    const ref: DeltaPart = { index, type: part?.type === "reasoning" ? "reasoning" : "text" }
    if (want.startsWith(had) && !wrong) stream(s, open, ref, want.slice(had.length))
    else {
      s.fault("deltas_contradict_final", key)
      stream(s, open, ref, want, true)
    }
  }
  s.raw = saved
  return s.items.get(key) ?? first
}

const isTextType = (type: DeltaPart["type"] | undefined): boolean => type === "text" || type === "reasoning"

/** What the agent says the item is, less what stands in the items before it. */
function finalContent(open: OpenItem, content: ContentPart[]): ContentPart[] {
  return content.map((part, index) => {
    if (!isText(part)) return boundPart(part)
    const whole = isAssistantText(open.item) || open.texts.has(index)
    return whole ? { ...part, text: part.text.slice(open.carried.get(index) ?? 0) } : boundWhole(part)
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
  return s.items.get(parent)?.item.item_id ?? s.doneKeys.get(parent) ?? s.calls.get(parent)?.itemId
}

const reason = (item: Item, why: string | undefined): Item["metadata"] =>
  why === undefined ? item.metadata : { ...item.metadata, reason: why }
