import { stopIfIdle } from "../../core/idle-agents.ts"
import type { Session } from "../../core/session.ts"
import type { Acp } from "./acp.ts"
import { sessionOf } from "./attached-session.ts"
import type { Connection } from "./connection.ts"

/** Whether anybody beside this client reads the session, by whatever face. */
export function watched(connection: Connection, s: Session): boolean {
  let ofConnection = 0
  for (const feed of connection.feeds.values()) if (feed.reads(s.log)) ofConnection++
  return s.log.readers > ofConnection
}

/**
 * The client is done for good: its sessions go on, but those that nobody else watches need no process once they are at
 * rest. One whose turn it still waits for in a request counts as watched until that has its answer.
 */
export function leave(acp: Acp, connection: Connection): void {
  const attached = connection.attachments.filter(({ toSeq }) => toSeq === null)
  const sessions = attached.flatMap((row) => sessionOf(acp, row) ?? [])
  const unwatched = new Set(sessions.filter((s) => !watched(connection, s)))
  acp.connections.remove(connection)
  for (const s of sessions) {
    // One that is attached and not there just now comes back without a word.
    if (acp.rows.upToDate.isAttached(s.record.uid)) continue
    s.leftAlone = true
    if (unwatched.has(s)) stopIfIdle(s)
  }
}
