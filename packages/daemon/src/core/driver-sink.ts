import type { Stderr } from "@sandbox-agent/schema/error"
import type { PlanEntry, StopReason, TurnError, Usage } from "@sandbox-agent/schema/event"
import type { ContentPart, DeltaPart, ItemKind, ItemRole } from "@sandbox-agent/schema/item"
import type { PermissionKind, QuestionPart } from "@sandbox-agent/schema/request"
import type { PermissionMode } from "@sandbox-agent/schema/session"
import type { AnswerTaker, Kept } from "./driver.ts"

/** How a driver reports to the core. Calls after `gone` or `close` have no effect. A part of a driver gets what it needs of it. */
export interface Sink extends LineSink, TurnSink, ItemSink, RequestSink, PassthroughSink, SessionSink {}

/** What came of a native line. `unknown`: the driver does not know it, and the core keeps it as an item of its own. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler ends in calls that return nothing
export type LineOutcome = void | "unknown"

/** What was said on the wire, and the order of what follows from it. */
export interface LineSink {
  /** Every native line goes through here; what is called inside belongs to it. What throws was not understood. */
  line(raw: string, handle: () => LineOutcome): void
  /** A line that may be of another session was passed over: told without the line. */
  passedOver(why: string): void
  /** What we wrote to the agent, kept in raw. */
  sent(raw: string): void
  /** Continues when `work` is done, before everything that is reported meanwhile. Without a value if it failed or took too long. */
  after<T>(work: Promise<T>, then: (value?: T) => void): void
}

/** Turns, and what became of the messages that were sent. */
export interface TurnSink {
  turnStarted(turn: { origin: "message" | "agent" | "command"; native?: string }): void
  /** A `send` now would be taken. Not before. */
  turnEnded(turn: { stop: StopReason; error?: TurnError; native?: string }): void
  taken(messageId: string): void
  /** The brief of this message is on its way with it. */
  briefed(messageId: string): void
  returned(messageId: string): void
}

export interface ItemSink {
  /** Keeps the bytes of a picture; the part is how an item names it. */
  image(bytes: Uint8Array, mime: string): ImagePart
  open(item: NewItem): void
  delta(key: string, part: DeltaPart, text: string): void
  /** Cumulative partial: the core makes the delta. */
  snapshot(key: string, part: DeltaPart, whole: string): void
  close(key: string, end: ItemEnd): void
  /** The open items of this group will be sent again. */
  retry(group?: string): void
}

/** Permissions and questions. */
export interface RequestSink {
  /** `by` gets the answer. Without it the open conversation does: of what is asked while it opens nobody would. */
  ask(request: NativeRequest, by?: AnswerTaker): void
  /** The agent no longer waits for this answer. */
  unask(key: string, reason?: string): void
}

/** For clients that speak the agent's own protocol (`Driver.protocol`). */
export interface PassthroughSink {
  /** Known, without universal meaning, but a client that speaks the agent's own protocol wants it in its place. */
  native(method: string): void
  /** As `native`, a request that only such a client can answer. `false`: there is none, and none will be asked. */
  passOn(method: string, key: string, by?: AnswerTaker): boolean
}

/** What is known of the session as a whole, and its end. */
export interface SessionSink {
  plan(entries: PlanEntry[]): void
  /** An increment, never a total. */
  usage(increment: Partial<Usage>): void
  session(patch: SessionPatch): void
  /** Native lifecycle notes: an item `<agent>.<label>`. */
  status(label: string, detail?: string): void
  /** An MCP server did not start: a note with the reason, and with what the server said of it. */
  mcpFailed(name: string, reason: string): void
  error(error: { message: string; code?: string; details?: unknown }): void
  background(count: number): void
  /** The agent ended the conversation by itself. */
  ended(): void
  gone(exit: Exit): void
}

export interface NewItem {
  key: string
  kind: ItemKind
  role?: ItemRole
  /** Key of the item this one hangs on. */
  parent?: string
  group?: string
  content?: ContentPart[]
  metadata?: Record<string, unknown>
}

export interface ItemEnd {
  status: "completed" | "failed"
  content?: ContentPart[]
  reason?: string
}

export type NativeRequest = {
  key: string
  /** Call id of the tool this is about. */
  call?: string
  /** Asked by work that goes on without a turn. */
  background?: boolean
  /** As the agent asked it in its own protocol (`Driver.protocol`): a face that speaks it asks its clients the same. */
  passthrough?: PassthroughRequest
} & (NativePermission | NativeQuestion)

export interface PassthroughRequest {
  method: string
  params: Readonly<Record<string, unknown>>
}

export interface NativePermission {
  type: "permission"
  kind: PermissionKind
  action: string
  detail?: { command?: string; path?: string; diff?: string; [name: string]: unknown }
  /** Cannot write; permission mode `plan` lets it pass. */
  readOnly?: boolean
  /** It changes a file that decides what is asked for; permission mode `acceptEdits` asks. */
  guarded?: boolean
  /**
   * As what the agent takes a yes, where not for this once. `for_good`: it may never ask for it again, in no permission mode,
   * so only a person's "always" and `bypass` say that. `never`: it offers no yes.
   */
  allowed?: "for_good" | "never"
  /** Rule keys that would allow it; the keys `always` would store. Plain strings, compared as they are. */
  covers: string[]
  always: string[]
  metadata?: Record<string, unknown>
}

export interface NativeQuestion {
  type: "question"
  questions: QuestionPart[]
  purpose?: "plan_approval"
  /** What is wrong with what was given to the n-th, as far as its type does not say it. */
  fault?(n: number, given: readonly string[]): string | undefined
}

export interface SessionPatch {
  title?: string
  agentMode?: string
  permissionMode?: PermissionMode
  model?: string
  variant?: string
  nativeSessionId?: string
  durable?: boolean
  /** What the agent has written of the session by now. */
  kept?: Kept
  commands?: { name: string; description?: string; hint?: string }[]
}

/** How a process or connection was lost. */
export interface Exit {
  code?: number
  signal?: string
  stderr?: Stderr
  message?: string
}

export type ImagePart = Extract<ContentPart, { type: "image" }>
