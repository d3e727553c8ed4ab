import type { Capabilities, Mode, Model } from "@sandbox-agent/schema/agent"
import { type AgentError, SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Intervals } from "@sandbox-agent/schema/intervals"
import type { ContentPart, ItemKind, ItemRole } from "@sandbox-agent/schema/item"
import type { Delivery } from "@sandbox-agent/schema/message"
import type { PassthroughPrompt } from "@sandbox-agent/schema/passthrough-prompt"
import type { PermissionReply } from "@sandbox-agent/schema/request"
import type { Applied, Mcp, PermissionMode, Skill } from "@sandbox-agent/schema/session"
import type { Confinement } from "../files/confinement.ts"
import type { Sink } from "./driver-sink.ts"
import type { Programs } from "./programs.ts"
import type { Supervisor } from "./supervisor.ts"

/**
 * How the core speaks to one agent. A driver is a record: data, one entry `open`, and optional powers as optional
 * methods. It knows its agent's protocol and nothing of HTTP, of the store or of other sessions.
 */
export interface Driver {
  readonly spec: 1
  readonly agent: string
  readonly name: string
  readonly stability: "stable" | "experimental"
  readonly capabilities: Capabilities
  /** Where the agent's program is, or why it cannot be used; with the rest, how it is installed. */
  readonly programs: Pick<Programs, "locate"> & Partial<Programs>
  /** Which options of a session it takes; what it does not say is known only when it runs. */
  readonly takes: Takes
  /** Throws for settings the agent can never take, before anything is made. What only the agent knows it tells later. */
  check?(settings: Partial<Settings>): void
  /** Its native lines are messages of this protocol: a face that speaks it passes them on as they are. */
  readonly protocol?: "acp"
  /** What of that protocol's content it takes beyond what every agent is given, as far as it has said so. */
  readonly passthroughContent?: { readonly audio: boolean }
  /** Its modes are known only in a session: opening or configuring one refuses what it lacks. Else `catalog` knows them. */
  readonly modesOfSession?: true
  /** Sessions share a server (`drivers/shared/pool.ts`): the driver counts its restarts, not the core those of each session. */
  readonly shared?: true
  open(options: OpenOptions, sink: Sink, host: Host): Promise<Native>
  catalog(host: Host): Promise<Catalog>
  /** Where a session can be cut when it is forked: after any finished turn, or only at its end. */
  readonly forksAt?: "turn" | "head"
  /** Removes what the driver itself kept for a deleted session. The agent's own transcripts stay. */
  forget?(sessionId: string, host: Host): Promise<void>
  /** Its own record of a session is one file, with which the same agent goes on on another machine. */
  readonly carries?: Carries
  /** Items of a native session we never saw, for adopt. Read only. */
  history?(ref: NativeRef, host: Host): AsyncIterable<PastItem>
}

export interface Carries {
  /** Where it is, once all that was said is in it; undefined without one. */
  find(ref: NativeRef, host: Host): Promise<string | undefined>
  /** Where it belongs, and how it reads there. Throws `MemoryGone` for what is no record of that session. */
  place(record: CarriedRecord, options: Pick<OpenOptions, "directory" | "env">, host: Host): Promise<PlacedRecord>
}

export interface CarriedRecord {
  id: string
  bytes: Buffer
}

export interface PlacedRecord {
  path: string
  bytes: Buffer
}

export interface Takes {
  systemPrompt?: boolean
  skills?: boolean
  /** How its MCP servers may be reached. */
  mcp?: readonly McpTransport[]
  /** It can be told how long one of them may take to start. */
  mcpTimeout?: boolean
  /** It says which of them do not start: `Sink.mcpFailed`. */
  mcpFailures?: boolean
}

export type McpTransport = "stdio" | "http" | "sse"

export interface Installation {
  installed: boolean
  version?: string
  path?: string
  source?: "managed" | "path" | "config" | "builtin"
  credentials: Credentials
  /** The version that the driver is tested with. */
  tested?: string
  /** Of an install just made: what failed before it, and that it is not the newest, where it is not. */
  notes?: string[]
  /** Why the driver cannot speak to this version of the program, and what can be done about it. */
  notSupported?: { detail: string; hint: string }
}

/** Whether this machine has what the agent logs in with; `unknown` where nobody has said what that is. */
export type Credentials = "available" | "missing" | "unknown"

export interface Catalog {
  modes: Mode[]
  models: Model[]
  defaultModel?: string
  /** In the agent's own protocol, where it speaks one that a face speaks (`Driver.protocol`). */
  passthrough?: PassthroughSettings
}

/** What can be chosen in a session, as the agent tells it: its options for our settings, and those of its own. */
export interface PassthroughSettings {
  model?: object
  variant?: object
  others: readonly Readonly<Record<string, unknown>>[]
  /** The list of models that older agents have. */
  models?: object
}

/** What a driver may use of the machine. */
export interface Host {
  /** A folder of ours for this agent's own state. */
  readonly home: string
  /**
   * Does file work in `home`, or in the user's own, as the user that the agent runs as: links there could lead our own
   * rights anywhere. It is over when it returns.
   */
  asAgent<T>(work: () => T): T
  /** For files that the agent or its user wrote: a link in their place gives us nothing that the agent could not read itself. */
  readonly reach: Confinement
  /**
   * Puts skills into a new folder below `home`, each under its name, with the same rights; the hash of all that is in
   * it. Paths are relative to `directory`.
   */
  layOutSkills(skills: readonly Skill[], directory: string, folder: string): Promise<string>
  /** Removes a folder below `home`, with the same rights. */
  remove(folder: string): Promise<void>
  /** Whatever is spawned here sees what this agent may. */
  readonly supervisor: Pick<Supervisor, "spawn">
  /** The environment that a process of this agent gets, with what is given. */
  environment(given: Readonly<Record<string, string>>): Record<string, string>
  /** Files that the agent has us open for it, in this session. */
  readonly files?: AgentFiles
  /** A promise while too much of this session waits for the disk: nothing more shall be read for it. */
  room?(): Promise<void> | undefined
  /** What the opening waits for from here on, for the error that says it took too long. */
  awaits?(what: string): void
  /** Counts the restart of a shared server. */
  restarted(): void
  /** Those of the daemon; without them the defaults. */
  readonly intervals?: Intervals
  log(level: "debug" | "info" | "warn" | "error", message: string, fields?: Record<string, unknown>): void
}

/** `allow` is asked when a person has to say whether the agent may have it. */
export interface AgentFiles {
  read(path: string, limit: number, allow: () => Promise<boolean>): Promise<Uint8Array>
  write(path: string, content: string, allow: () => Promise<boolean>): Promise<void>
}

export interface Settings {
  agentMode: string
  permissionMode: PermissionMode
  model?: string
  variant?: string
  systemPrompt?: string
  mcp?: Mcp
  skills?: Skill[]
}

/** The agent's own session: `id` may come with the first turn; `durable` says it is on disk and can be resumed. */
export interface NativeRef {
  id?: string
  home: string
  durable: boolean
  /** Values of options that only the agent knows: chosen again whenever it is opened. */
  chosen?: Readonly<Record<string, string | boolean>>
  /** How much the agent had written of it when that was last looked at, where that can be told. */
  kept?: Kept
  /** What the agent had chosen itself when the session was new: it keeps what was chosen since, and has to be put back. */
  initial?: InitialChoices
}

/** What was in the agent's own file of a session. */
export interface Kept {
  file: string
  bytes: number
  /** The time that stands at its first entry. */
  begun?: string
  /** By what its driver finds the last entry of the last turn. */
  last?: string
}

export interface InitialChoices {
  mode?: string
  options: Readonly<Record<string, string | boolean>>
}

export type OpenFrom =
  | { kind: "new"; chosen?: NativeRef["chosen"] }
  | { kind: "resume" | "adopt"; ref: NativeRef }
  | { kind: "fork"; ref: NativeRef; at?: string }

export interface OpenOptions {
  from: OpenFrom
  sessionId: string
  /** Whom processes of this session alone are started for: the core ends whatever has this owner. */
  owner: string
  /** The version the session asked for; without one the current. */
  agentVersion?: string
  directory: string
  /** What the session is called, where it has a name. */
  title?: string
  env: Record<string, string>
  settings: Settings
  /** Nobody waits for this opening any more: what it has taken of a server that others use is given back. */
  signal: AbortSignal
}

export interface OutAttachment {
  path?: string
  bytes?: Uint8Array
  mime?: string
  filename?: string
}

export interface OutMessage {
  id: string
  text: string
  attachments: OutAttachment[]
  /** What its client said in the agent's own protocol (`Driver.protocol`): such an agent gets it in place of text and attachments. */
  passthrough?: PassthroughPrompt
  /**
   * What the agent has to know before this message, because it does not remember the session (`brief.ts`). It goes in
   * front of the message as a block of its own. Whoever passes it on says so with `Sink.briefed`; a command of the agent
   * that takes nothing beside it goes alone, and the brief comes again with the next message.
   */
  brief?: string
}

/** How every brief begins. */
export const BRIEF_BEGINS = "<session-brief>"

/** Whether a text in an agent's own history is a brief of ours and not a person's words. */
export const isBrief = (text: string): boolean => text.startsWith(BRIEF_BEGINS)

/**
 * A person's answer, already decided by the core. `always` never reaches a driver: the core keeps rules. `passthrough` is the
 * answer in the agent's own protocol, from a client that speaks it.
 */
export type NativeAnswer =
  | { kind: "permission"; reply: Exclude<PermissionReply, "always">; message?: string; passthrough?: object }
  | { kind: "question"; answers: string[][]; passthrough?: object }
  | { kind: "question_rejected"; message?: string; passthrough?: object }

/** Takes the answer to a request; an agent may ask before it is open. */
export interface AnswerTaker {
  answer(key: string, answer: NativeAnswer): Promise<void>
  /** As those of `Passthrough`. */
  meaning?(key: string, answer: object): Meaning | undefined
  reply?(key: string, response: PassthroughResponse): Promise<void>
}

/** What an answer in the agent's own protocol says in ours. */
export type Meaning =
  | { kind: "permission"; reply: PermissionReply }
  | { kind: "question"; answers: string[][] }
  | { kind: "question_rejected" }

/** One open conversation with an agent. */
export interface Native extends Pick<AnswerTaker, "answer"> {
  readonly ref: NativeRef
  /** Only called when idle. Rejects with a typed error. */
  send(message: OutMessage): Promise<void>
  /** `false`: there is no turn to steer; the core puts the message in front of its queue. */
  steer?(message: OutMessage): Promise<boolean>
  /** Resolves when the agent is truly idle. */
  interrupt(): Promise<void>
  configure?(settings: Partial<Settings>): Promise<Applied>
  /** Where clients can speak to the agent in its own protocol. */
  readonly passthrough?: Passthrough
  /** Ends work that goes on without a turn. */
  stopBackground?(): Promise<void>
  /** Polite end; the supervisor kills what is left. */
  close(): Promise<void>
  /** At once, with everything it started. */
  kill(): Promise<void>
}

/** For clients that speak the agent's own protocol (`Driver.protocol`). */
export interface Passthrough {
  /** What an answer to a request means. `undefined`: it decides nothing. Throws for what cannot be meant. */
  meaning(key: string, answer: object): Meaning | undefined
  /** The answer to a request that was passed on. */
  reply(key: string, response: PassthroughResponse): Promise<void>
  /** What can be chosen now; see `Catalog.passthrough`. */
  settings(): PassthroughSettings
  /** Chooses a value of an option that only the agent knows. */
  choose(option: string, value: string | boolean): Promise<void>
}

/** A response of a client in the agent's own protocol. */
export type PassthroughResponse = { result: unknown } | { error: { code: number; message: string; data?: unknown } }

export interface PastItem {
  kind: ItemKind
  role?: ItemRole
  content: ContentPart[]
  /** What its pictures name. */
  blobs?: readonly PastBlob[]
}

export interface PastBlob {
  blob: string
  mime: string
  bytes: Uint8Array
}

/** The one typed "this agent cannot". */
export class NotSupported extends SandboxAgentError {
  constructor(detail: string, context: Partial<AgentError> & { option?: string } = {}) {
    super("not_supported", detail, context)
  }
}

/**
 * The one typed "the agent does not remember this session": its files are gone, were never written, or cannot be read.
 * Thrown by `open` when it is to continue or fork one, or by the `send` that finds it out and had nothing taken; the core
 * then opens a new one, briefs it, and sends that message again.
 */
export class MemoryGone extends SandboxAgentError {
  constructor(detail: string, context: Partial<AgentError> = {}) {
    super("not_found", detail, context)
  }
}

export type { Delivery }
