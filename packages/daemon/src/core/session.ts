import { fitsBytes } from "@sandbox-agent/schema/byte-length"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { EventData, EventType, StopReason, TurnError, Usage } from "@sandbox-agent/schema/event"
import type { DeltaPart, Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import type { PermissionMode, SessionStatus } from "@sandbox-agent/schema/session"
import { Log } from "../store/log.ts"
import type { LoadedSession, MessageRow, SessionRecord, SessionSecrets } from "../store/row-types.ts"
import type { Rows } from "../store/rows.ts"
import { boundData } from "./bounds.ts"
import type { Context } from "./context.ts"
import type { AnswerTaker, Driver, Native, Settings } from "./driver.ts"
import type { NativeRequest } from "./driver-sink.ts"
import { eventText, sessionFields } from "./event-text.ts"
import type { ForwardedRequest } from "./forwarded-requests.ts"
import type { McpStderr } from "./mcp-stderr.ts"
import { tellUpdated } from "./tell-lists.ts"

/** The text of a part so far. */
export interface Streamed {
  type: DeltaPart["type"]
  text: string
  /** Its length as UTF-8. */
  bytes: number
  /** Characters of it that lie together in memory; the others are still the pieces they came in. */
  joined: number
}

/** An item between its start and its completion. */
export interface OpenItem {
  readonly key: string
  readonly item: Item
  readonly startedSeq: number
  /** Text so far of each streamed part, by index. */
  readonly texts: Map<number, Streamed>
  /** Bytes of `texts`. */
  length: number
  /** Characters of each part that stand in earlier items, when the native block outgrew one. */
  readonly carried: ReadonlyMap<number, number>
  /** Part of the JSON of every delta of this item, made once. */
  readonly deltaHead: string
}

export interface Turn {
  readonly id: string
  readonly origin: "message" | "agent" | "command"
  readonly messageIds: string[]
  readonly startedSeq: number
  /** The message it was dispatched for, until that is taken. */
  cancelling: boolean
  /** The agent has said that it began. */
  nativeStarted: boolean
  /** The driver was not given its message yet: no agent knows of it. */
  unsent?: boolean
  usage?: Usage
  nativeRef?: string
  /** A message that it took brought the brief. */
  briefed?: boolean
  readonly ended: PromiseWithResolvers<void>
}

export interface OpenRequest {
  readonly id: string
  readonly native: NativeRequest
  /** Who asked takes the answer, be it open already or not. */
  readonly by?: AnswerTaker
  readonly turnId?: string
  readonly itemId?: string
  /** Agents that tried to answer it themselves. */
  refused?: Set<string>
}

/** A tool call: every one of them gets a result. Without a turn: a late one. */
export interface Call {
  readonly itemId: string
  readonly parentId?: string
  readonly turnId?: string
  readonly answered: boolean
  /** Its work goes on after the turn: what comes of it later still hangs on it. */
  readonly detached?: boolean
}

/** The single owner of one session's state. All transitions run here or in the modules beside it, in one thread. */
export class Session {
  readonly record: SessionRecord
  readonly secrets: SessionSecrets
  readonly log: Log
  /** None while this daemon has no such agent; another one when the agent was added anew. */
  driver: Driver | undefined
  /** Last sequence given out; committed ones are in `log.last`. */
  sequence: number
  rawCount: number
  /** Raw line the present call of a driver belongs to; 0 = ours. */
  raw = 0
  turn: Turn | undefined
  readonly items = new Map<string, OpenItem>()
  /** Keys of this turn's items that are done, with their ids. */
  readonly doneKeys = new Map<string, string>()
  readonly calls = new Map<string, Call>()
  readonly requests = new Map<string, OpenRequest>()
  /** Requests of the agent that only a client over ACP can answer, by sequence. */
  readonly forwardedRequests = new Map<number, ForwardedRequest>()
  /** While a picture is read: what the agent says meanwhile waits, and no more of it is read. */
  held: Promise<void> | undefined
  /** Streams that read this session over ACP. */
  acpReaders = 0
  readonly queue: MessageRow[] = []
  /** How many of them the log of all sessions was told of. */
  queuedTold = 0
  sending: MessageRow | undefined
  messageOrd = 0
  readonly rules = new Set<string>()
  /** Agents that tried to give it a laxer permission mode. */
  readonly refusedModes = new Set<string>()
  /** The mode the agent left when it entered plan mode by itself; an approved plan goes back to it. */
  beforePlan: PermissionMode | undefined
  native: Native | undefined
  /** Of its MCP servers, where its agent tells which of them do not start. */
  mcpStderr: McpStderr | undefined
  process: "none" | "starting" | "live" = "none"
  /** Something was said since its agent was opened: until that is durable, the process alone remembers it. */
  spoken = false
  /** Its agent goes on with a session of its own, by what it said. */
  continued = false
  /** The message that is on its way with the brief. */
  briefedBy: string | undefined
  /** Its last process went by itself: the next one is a restart. */
  lost = false
  opening: Promise<void> | undefined
  /** Gives up the opening that is under way. */
  abandon: (() => void) | undefined
  /** The old process on its way out: two of them must never share one native session. */
  closing: Promise<void> | undefined
  /** Each opening has a number; what an older one says comes to nothing. */
  epoch = 0
  /** Its settings are being changed: what is asked for next comes after that. */
  changing: Promise<void> | undefined
  /** Settings that the agent is being opened with, to see whether it takes them. */
  trial: Partial<Settings> | undefined
  /** Settings that wait for the agent to be reopened or for the next turn. Those of an earlier daemon wait for either. */
  readonly deferred: { next_turn: Partial<Settings>; reopen: Partial<Settings> }
  idleSince = performance.now()
  /** Whoever used it has left for good: at rest, and while nobody reads it, it needs no process. */
  leftAlone = false
  /** Last time a request looked it up. */
  touched = performance.now()
  deleted = false
  #fields = ""

  constructor(
    readonly context: Context,
    loaded: LoadedSession,
  ) {
    this.record = loaded.record
    this.secrets = loaded.secrets
    this.deferred = { next_turn: { ...loaded.record.deferred }, reopen: {} }
    this.driver = context.drivers.get(loaded.record.agent)
    this.log = new Log(loaded.record.uid, this.driver?.protocol === "acp")
    this.log.first = loaded.firstSeq
    this.log.last = loaded.lastSeq
    this.sequence = loaded.lastSeq
    this.rawCount = loaded.rawLast
    this.nativeIdChanged()
  }

  get status(): SessionStatus {
    return this.record.status
  }

  /** Called inside the store's transaction. */
  save(): void {
    if (!this.deleted) this.context.rows.saveSession(this.record, this.log.first, this.sequence, this.rawCount)
  }

  /** Makes its row, unless there is one. */
  add(): void {
    const { store, rows } = this.context
    store.write(() => {
      if (!this.deleted) rows.addSession(this.record, this.secrets)
    })
    store.saveLater(this)
  }

  /** A row of this session, written whole with the next commit; saved again before that, it is written once. */
  saveRow(kind: "message" | "turn" | "item" | "request", id: string, save: (rows: Rows, uid: number) => void): void {
    const { store, rows } = this.context
    const { uid } = this.record
    store.saveRow(`${kind} ${uid} ${id}`, () => save(rows, uid))
  }

  /** Writes one event. `source` follows from whether a native line is being handled, unless it is `daemon`. */
  append<T extends EventType>(type: T, data: EventData<T>, source?: "daemon", replayed?: boolean): number {
    const json = JSON.stringify(data)
    // Items are bounded part by part, where their text grows.
    const fits = type.startsWith("item.") || fitsBytes(json, limits.eventBytes)
    if (type === "session.updated") tellUpdated(this, data as EventData<"session.updated">)
    return this.appendJson(type, fits ? json : JSON.stringify(boundData(data)), source, replayed)
  }

  appendJson(type: EventType, data: string, source?: "daemon", replayed?: boolean): number {
    if (this.deleted) return this.sequence // its log has been closed for good
    const sequence = ++this.sequence
    const raw = source === "daemon" ? 0 : this.raw
    const time = this.context.clock.now()
    this.record.updatedAt = time
    const { uid } = this.record
    const json = eventText({ uid, sequence, time, session: this.#fields, byAgent: raw !== 0, type, data, replayed })
    this.context.store.append(this.log, sequence, json, raw)
    // The row says nothing that a delta changes: not writing it each time keeps commits small.
    if (type !== "item.delta") this.context.store.saveLater(this)
    return sequence
  }

  /** Remembers the event that said this last, for clients that attach later. */
  rememberSequence(what: "plan" | "usage" | "commands", sequence: number): void {
    this.record.told = { ...this.record.told, [what]: sequence }
    this.context.store.saveLater(this)
  }

  /** `native_session_id` stands in every envelope: made again only when it changes. */
  nativeIdChanged(): void {
    const { id, native } = this.record
    this.#fields = sessionFields(id, native.id)
  }

  setStatus(status: SessionStatus, logged: boolean): void {
    if (this.record.status === status) return
    this.record.status = status
    if (status === "idle") this.idleSince = performance.now()
    if (logged) this.append("session.updated", { status })
    else this.context.store.saveLater(this)
    this.context.global.append("session.status", this.record.id, { status })
  }

  setProcess(process: Session["process"]): void {
    if (this.process === process) return
    this.process = process
    this.record.processLive = process !== "none"
    this.append("session.updated", { agent_process: process }, "daemon")
  }

  committed(): Promise<void> {
    return this.context.store.committed()
  }

  /** A correction of what a driver did: counted, shown in metrics, and failing in the contract suite. */
  fault(kind: string, detail: string): void {
    const { faults, log } = this.context
    faults.set(kind, (faults.get(kind) ?? 0) + 1)
    log("warn", "driver fault", { kind, detail, agent: this.record.agent, session: this.record.id })
  }

  /** Refuses what an ended session, a full disk or a stopping daemon cannot take. */
  assertWritable(allowEnded = false): void {
    const { store, stopping } = this.context
    if (stopping) throw new SandboxAgentError("unavailable", "the daemon is stopping")
    if (store.failing)
      throw new SandboxAgentError("unavailable", "the store cannot be written (disk full?); reading goes on")
    if (!allowEnded && this.record.status === "ended")
      throw new SandboxAgentError("conflict", `session ${this.record.id} has ended; bring it back with resume`, {
        sessionId: this.record.id,
        sessionStatus: "ended",
      })
  }
}

export interface TurnEnd {
  stop: StopReason
  error?: TurnError
  forced?: boolean
}
