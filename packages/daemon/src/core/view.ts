import type { Item } from "@sandbox-agent/schema/item"
import type { Session as SessionView } from "@sandbox-agent/schema/session"
import { folded } from "./item-parts.ts"
import { positionOf } from "./messages.ts"
import { healed } from "./refold.ts"
import type { Session } from "./session.ts"

/** A session as the API shows it. Secrets are not in it by construction. */
export function viewOf(s: Session): SessionView {
  const r = s.record
  let permissions = 0
  for (const { native } of s.requests.values()) if (native.type === "permission") permissions++
  return {
    id: r.id,
    agent: r.agent,
    agentVersion: r.agentVersion,
    agentMode: r.agentMode,
    permissionMode: r.permissionMode,
    model: r.model,
    variant: r.variant,
    directory: r.directory,
    title: r.title,
    nativeSessionId: r.native.id,
    status: r.status,
    agentProcess: s.process,
    background: r.background,
    queue: s.queue.map((m) => ({
      messageId: m.id,
      turnId: m.turnId,
      position: positionOf(s, m.id),
      delivery: m.delivery,
    })),
    pending: { permissions, questions: s.requests.size - permissions },
    firstSequence: s.log.first,
    lastSequence: s.log.last,
    usage: r.usage,
    createdAt: r.createdAt,
    updatedAt: r.updatedAt,
    endedAt: r.endedAt,
    error: r.error,
    metadata: r.metadata,
  }
}

/** The folded transcript and the sequence it is true for, as JSON text: done items are passed on as they are stored. */
export function itemsJson(s: Session): string {
  // Rows hold what was committed; flushing first makes them and the open items in memory speak of the same moment.
  s.context.store.flush()
  const open = new Map([...s.items.values()].map((o) => [o.item.item_id, o]))
  const items = healed(s, () => s.context.rows.items(s.record.uid)).map((row) => {
    const live = row.completedSeq === null ? open.get(row.id) : undefined
    return live === undefined ? row.json : JSON.stringify({ ...live.item, content: folded(live) } satisfies Item)
  })
  return `{"items":[${items.join(",")}],"sequence":${s.log.last}}`
}
