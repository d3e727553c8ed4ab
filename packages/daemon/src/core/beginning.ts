import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { pastOf } from "./agent-queries.ts"
import { keepBlob } from "./attachments.ts"
import type { Driver, NativeRef, PastItem } from "./driver.ts"
import { wholeItem } from "./items.ts"
import { hostFor } from "./opening.ts"
import type { Session } from "./session.ts"
import type { Sessions } from "./sessions.ts"

/** Writes the beginning of a new session's log. */
type Begin = (s: Session) => void
/** Called in the moment before a session is made; may refuse. */
export type Preparation = () => Begin

/** A new session begins empty, or with the history of the native session that it adopts. */
export async function preparationOf(sessions: Sessions, driver: Driver, body: CreateSession): Promise<Preparation> {
  const { nativeSessionId: id } = body
  if (id === undefined) return () => (s) => void s.append("session.started", { metadata: s.record.metadata }, "daemon")
  const host = hostFor(sessions.context, driver.agent)
  const ref = { id, home: host.home, durable: true }
  assertUnowned(sessions, driver, id)
  // Read before anything is made: it may not exist.
  const past = await pastOf(sessions.context, driver, ref)
  return () => {
    assertUnowned(sessions, driver, id)
    return (s) => adopt(s, ref, past)
  }
}

/** From now on the native session has an owner. */
function adopt(s: Session, ref: NativeRef, past: PastItem[]): void {
  s.record.openFrom = { kind: "adopt", ref }
  s.record.native = { ...ref }
  s.nativeIdChanged()
  s.append("session.started", { metadata: s.record.metadata, adopted: true }, "daemon")
  for (const { kind, role, content, blobs = [] } of past) {
    for (const { bytes, mime } of blobs) keepBlob(s, bytes, mime)
    wholeItem(s, { kind, role, content }, "completed", "daemon", true)
  }
}

function assertUnowned(sessions: Sessions, driver: Driver, nativeId: string): void {
  if (!driver.capabilities.resume)
    throw new SandboxAgentError("not_supported", `agent ${driver.agent} cannot adopt a session`, {
      agent: driver.agent,
      option: "nativeSessionId",
    })
  sessions.context.store.flush() // also a session made just now
  const owner = sessions.context.rows.ownerOfNative(driver.agent, nativeId)
  if (owner !== undefined)
    throw new SandboxAgentError("conflict", `native session ${nativeId} belongs to session ${owner}`, {
      sessionId: owner,
    })
}
