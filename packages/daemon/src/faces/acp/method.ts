import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Client } from "../../core/client.ts"
import type { Session } from "../../core/session.ts"
import type { CallRow } from "../../store/acp-rows.ts"
import type { Acp } from "./acp.ts"
import type { Connection } from "./connection.ts"
import { isRecord } from "./projection/envelope.ts"
import { invalid } from "./projection/invalid.ts"

/** What a method gets to work with. */
export interface Request {
  readonly acp: Acp
  readonly connection: Connection
  readonly params: unknown
  /** `?agent=` of the address it came by. */
  readonly agent: string | undefined
  /** Whoever sent it. */
  readonly client: Client
}

export interface CallRequest extends Request {
  readonly call: CallRow
}

/** How a call is answered. */
export type Outcome =
  | {
      result: unknown
      /** Done in the same moment as the answer, before it and after it. */
      before?(): void
      after?(): void
      /** A message of the connection's log that its client shall have first, where it is on another stream. */
      behind?: { session: string; seq(): number }
    }
  /** The answer is the end of the turn that takes this message. */
  | { posted: Posted }

export interface Posted {
  session: Session
  messageId: string
  /** The message's fate stands after this event. */
  after: number
}

export type Method = (request: CallRequest) => Promise<Outcome>
export type Notice = (request: Request) => Promise<void>

export function sessionIdIn(params: unknown): string | undefined {
  const id = isRecord(params) ? params.sessionId : undefined
  return typeof id === "string" ? id : undefined
}

export function sessionIn({ acp, params }: Request): Session {
  const id = sessionIdIn(params)
  if (id === undefined) return invalid("sessionId: a string is expected")
  return acp.services.sessions.get(id)
}

/** The agent a client means: named here, by its address, at `initialize`, or the daemon's default. */
export function agentIn({ acp, connection, agent }: Request, named: unknown): string {
  const chosen = (typeof named === "string" && named) || agent || connection.doc.agent || acp.defaultAgent
  const agents = acp.services.agents.ids
  if (chosen === undefined)
    throw new SandboxAgentError(
      "invalid_request",
      `_meta["sandboxagent.dev"].agent: no agent is chosen; name one of ${agents.join(", ")}`,
      { agents },
    )
  return acp.services.sessions.driver(chosen).agent
}
