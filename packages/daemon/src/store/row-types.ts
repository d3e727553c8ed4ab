import type { AgentError } from "@sandbox-agent/schema/error"
import type { TurnError, Usage } from "@sandbox-agent/schema/event"
import type { Delivery, MessageState } from "@sandbox-agent/schema/message"
import type { PassthroughPrompt } from "@sandbox-agent/schema/passthrough-prompt"
import type { Permission, Question } from "@sandbox-agent/schema/request"
import type { Mcp, PermissionMode, SessionStatus, Skill } from "@sandbox-agent/schema/session"

/** What is known of a session apart from its log. Kept as one JSON text; `uid` never comes back. */
export interface SessionRecord {
  uid: number
  id: string
  alias: string
  agent: string
  agentVersion?: string
  /** The version asked for at create: kept for life. */
  pinnedVersion?: string
  agentMode: string
  permissionMode: PermissionMode
  model?: string
  variant?: string
  directory: string
  title?: string
  status: SessionStatus
  background: number
  processLive: boolean
  usage?: Usage
  /** Sequences of the events that last said each of these, for clients that attach later. Stored under this name. */
  told?: { plan?: number; usage?: number; commands?: number }
  createdAt: string
  updatedAt: string
  endedAt?: string
  /** Why its agent could not be started. */
  error?: AgentError
  /** Why its last turn failed, until the next one begins. */
  turnError?: TurnError
  metadata: Record<string, unknown>
  native: NativeRow
  /** Settings that were taken and are not in force yet: the next opening has them, also after a restart. */
  deferred?: Partial<Pick<SessionRecord, "agentMode" | "permissionMode" | "model" | "variant">>
  /** How its first opening begins, until that has succeeded: a fork or an adopted session, also after a restart. */
  openFrom?: OpenFromRow
  /** Times in a row that its agent failed when it was to go on with what it remembers; also over restarts. */
  resumeFailures?: number
  /** Its agent has yet to be told what was said before: until a turn that took the brief has ended well. */
  briefDue?: true
  /** Where the native session began that it has now; what came before the agent knows from a brief alone. */
  rebuiltAt?: number
  /** Blob of what came before the session this one was forked from, as far as no item tells it. */
  inherited?: string
  systemPrompt?: string
  skills?: Skill[]
}

/** `brief`: a new native session that is told of the past. */
export type OpenFromRow =
  | { kind: "adopt"; ref: NativeRow }
  | { kind: "fork"; ref: NativeRow; at?: string }
  | { kind: "brief"; reason: string }

/** The agent's own session. */
export interface NativeRow {
  id?: string
  home: string
  durable: boolean
  chosen?: Readonly<Record<string, string | boolean>>
  kept?: { file: string; bytes: number; begun?: string; last?: string }
  initial?: { mode?: string; options: Readonly<Record<string, string | boolean>> }
}

/** Never returned by the API, kept in a file only its owner can read. */
export interface SessionSecrets {
  env?: Record<string, string>
  mcp?: Mcp
  /** Names of those that were configured for the directory. */
  configured?: readonly string[]
}

export interface MessageRow {
  id: string
  /** Where it stands in the queue. */
  ord: number
  state: MessageState
  delivery: Delivery
  turnId: string
  text: string
  attachments: StoredAttachment[]
  passthrough?: PassthroughPrompt
  /** Of the request that brought it, where its client gave the id: the same id with another request is refused. */
  digest?: string
  error?: TurnError
}

/** An attachment the daemon has: always a file, and a blob unless that is too large. */
export interface StoredAttachment {
  path: string
  blob?: string
  mime: string
  filename: string
}

export interface TurnRow {
  id: string
  startedSeq: number
  endedSeq?: number
  endedAt?: number
  rawLast?: number
  nativeRef?: string
  doc: { origin: string; message_ids: string[]; stop_reason?: string }
}

export interface RequestRow {
  id: string
  kind: "permission" | "question"
  open: boolean
  doc: Permission | Question
}

export interface LoadedSession {
  record: SessionRecord
  secrets: SessionSecrets
  firstSeq: number
  lastSeq: number
  rawLast: number
}
