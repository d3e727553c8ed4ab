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

/** The client is done for good: its sessions go on, but those at rest that nobody else watches need no process. */
export function leave(acp: Acp, connection: Connection): void {
  const attached = connection.attachments.filter(({ toSeq }) => toSeq === null)
  const left = attached.flatMap((row) => sessionOf(acp, row) ?? []).filter((s) => !watched(connection, s))
  acp.connections.remove(connection)
  // One that is attached and not there just now comes back without a word.
  for (const s of left) if (!acp.rows.upToDate.isAttached(s.record.uid)) stopIfIdle(s)
}
