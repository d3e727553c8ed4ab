import type { EventData } from "@sandbox-agent/schema/event"
import type { Session } from "./session.ts"

/** What lists of sessions show, from what the log of the session itself is told. */
export function tellUpdated(s: Session, { title, metadata, background }: EventData<"session.updated">): void {
  if (s.deleted || (title === undefined && metadata === undefined && background === undefined)) return
  s.context.global.append("session.updated", s.record.id, { title, metadata, background })
}

/** How many messages wait, once it is known: one that is sent at once has not waited. */
export function tellQueue(s: Session): void {
  const queued = s.queue.length
  if (s.deleted || queued === s.queuedTold) return
  s.queuedTold = queued
  s.context.global.append("session.updated", s.record.id, { queued })
}
