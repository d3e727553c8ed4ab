import type { Event } from "@sandbox-agent/schema/event"
import type { LoadedSession } from "../store/row-types.ts"
import type { Context } from "./context.ts"
import type { NativeRequest } from "./driver-sink.ts"
import { Fold } from "./fold.ts"
import { withRepair } from "./refold.ts"
import { Session } from "./session.ts"

/** A session as it was left: its rows, and from the log what rows do not hold. */
export function load(context: Context, row: LoadedSession): Session {
  const s = new Session(context, row)
  const { uid } = s.record
  for (const key of context.rows.rules(uid)) s.rules.add(key)
  s.messageOrd = context.rows.maxMessageOrd(uid)
  for (const message of context.rows.openMessages(uid))
    if (message.state === "sending") s.sending = message
    else s.queue.push(message)
  s.queuedTold = s.queue.length
  return s
}

/** Brings back what was open when the last daemon went, so that `settle` can end it properly. */
export function loadOpen(s: Session): void {
  withRepair(s, () => s.context.rows.openItems(s.record.uid))
  const { rows, reader } = s.context
  const { uid } = s.record
  const openItems = rows.openItems(uid)
  const from = Math.min(...openItems.map((open) => open.startedSeq), s.log.last + 1)
  const fold = new Fold()
  for (let cursor = from - 1; cursor < s.log.last; ) {
    const events = reader.readable(s.log, cursor, 1_000)
    for (const { json, sequence } of events) {
      fold.apply(JSON.parse(json) as Event)
      cursor = sequence
    }
    if (events.length === 0) break
  }
  for (const { startedSeq, item } of openItems) {
    const { content } = fold.items.get(item.item_id)?.item ?? item
    s.items.set(item.item_id, {
      key: item.item_id,
      item: { ...item, content },
      startedSeq,
      texts: new Map(),
      length: 0,
      carried: new Map(),
      deltaHead: "",
    })
  }
  const turn = rows.openTurn(uid)
  if (turn !== undefined) {
    s.turn = {
      id: turn.id,
      origin: turn.doc.origin as "message",
      messageIds: messagesOf(s, turn.id, turn.doc.message_ids),
      startedSeq: turn.startedSeq,
      cancelling: false,
      nativeStarted: true,
      nativeRef: turn.nativeRef,
      ended: Promise.withResolvers(),
    }
  }
  loadCalls(s, turn?.id)
  for (const request of rows.requests(uid, true)) {
    const common = { id: request.id, turnId: request.doc.turn_id, itemId: request.doc.item_id }
    s.requests.set(request.id, { ...common, native: nativeOf(request.doc) })
  }
}

/** Tool calls of the cut turn, and late ones, that never got a result. */
function loadCalls(s: Session, turnId: string | undefined): void {
  for (const row of withRepair(s, () => s.context.rows.items(s.record.uid))) {
    const item = JSON.parse(row.json)
    if (item.turn_id !== turnId && item.late !== true) continue
    for (const part of item.content)
      if (part.type === "tool_call" && item.kind === "tool_call" && row.completedSeq !== null)
        s.calls.set(part.call_id, {
          itemId: item.item_id,
          parentId: item.parent_id,
          turnId: item.turn_id,
          answered: false,
        })
      else if (part.type === "tool_result") {
        const call = s.calls.get(part.call_id)
        if (call !== undefined && row.completedSeq !== null) s.calls.set(part.call_id, { ...call, answered: true })
      }
  }
}

/** Messages taken after the turn began are only in the log's user items. */
function messagesOf(s: Session, turnId: string, started: string[]): string[] {
  const taken = s.context.rows.items(s.record.uid).flatMap((row) => {
    const item = JSON.parse(row.json)
    return item.turn_id === turnId && item.message_id ? [item.message_id as string] : []
  })
  return [...new Set([...started, ...taken])]
}

function nativeOf(doc: { [name: string]: unknown }): NativeRequest {
  if ("permission_id" in doc)
    return {
      type: "permission",
      key: String(doc.permission_id),
      kind: doc.kind as "other",
      action: String(doc.action),
      detail: doc.detail as { command?: string } | undefined,
      call: doc.call_id as string | undefined,
      covers: [],
      always: (doc.choices as string[]).includes("always") ? [""] : [],
      metadata: doc.metadata as Record<string, unknown> | undefined,
    }
  return {
    type: "question",
    key: String(doc.question_id),
    questions: doc.questions as [],
    call: doc.call_id as string | undefined,
    purpose: doc.purpose as "plan_approval" | undefined,
  }
}
