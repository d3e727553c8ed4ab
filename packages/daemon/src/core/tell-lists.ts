import type { EventData } from "@sandbox-agent/schema/event"
import type { Session } from "./session.ts"

/** That something which lists of sessions show has changed. Words of the session stay in its own log, and go with it when it is deleted. */
export function tellUpdated(s: Session, { background, ...data }: EventData<"session.updated">): void {
  const changed = (["title", "metadata"] as const).filter((name) => data[name] !== undefined)
  if (s.deleted || (changed.length === 0 && background === undefined)) return
  s.context.global.append("session.updated", s.record.id, {
    ...(changed.length > 0 && { changed }),
    ...(background !== undefined && { background }),
  })
}

/** How many messages wait, once it is known: one that is sent at once has not waited. */
export function tellQueue(s: Session): void {
  const queued = s.queue.length
  if (s.deleted || queued === s.queuedTold) return
  s.queuedTold = queued
  s.context.global.append("session.updated", s.record.id, { queued })
}
