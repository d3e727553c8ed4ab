import type { SessionUpdate } from "@agentclientprotocol/sdk"
import { type Envelope, notification, ours } from "../envelope.ts"
import type { Sources } from "../sources.ts"
import type { Traits } from "../traits.ts"

/** For whom something is projected. */
export interface Scope {
  readonly sessionId: string
  readonly traits: Traits
  readonly sources: Sources
}

export const update = ({ sessionId }: Pick<Scope, "sessionId">, body: SessionUpdate): Envelope =>
  notification("session/update", { sessionId, update: body })

/**
 * Something ACP has no word for: an update of the session's metadata that changes neither title nor time. A client
 * that does not know our fields is left in peace; an agent message would put words into the agent's mouth.
 */
export const note = (scope: Scope, fields: Readonly<Record<string, unknown>>): Envelope =>
  update(scope, { sessionUpdate: "session_info_update", ...ours(fields) })
