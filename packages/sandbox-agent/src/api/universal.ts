import { ProblemError, SandboxAgentError } from "../errors.ts"
import { segment } from "../http/address.ts"
import { allBytes } from "../http/body-bytes.ts"
import type { EventStream } from "../http/event-stream.ts"
import type { CallOptions, Http } from "../http/http.ts"
import type { OnProgress } from "../http/progress.ts"
import { randomId } from "../random-id.ts"
import type {
  Agent,
  AnswerOf,
  BodyOf,
  CancelledTurn,
  CreatedSession,
  CreateSessionRequest,
  Event,
  GlobalEvent,
  Health,
  InstallProgress,
  InstallRequest,
  InstallResult,
  NativeState,
  PermissionReply,
  PostedMessage,
  PostMessageRequest,
  RestoredSession,
  RestoreSessionRequest,
  SessionInfo,
  StreamOf,
  UpdatedSession,
  UpdateSessionRequest,
} from "../types.ts"
import { Config } from "./config.ts"
import { Files } from "./files.ts"
import { Processes } from "./processes.ts"
import {
  type Program,
  type RunHandlers,
  type RunOptions,
  type RunOutput,
  type RunResult,
  run,
  runOutput,
} from "./run.ts"
import { endingStream, endlessStream, type StreamOptions, sequenceStream } from "./streams.ts"
import { Terminals } from "./terminals.ts"

/** Every operation of the API that no session call has the name of. Nothing here needs a connection. */
export class UniversalApi {
  readonly fs: Files
  readonly processes: Processes
  readonly terminals: Terminals
  readonly config: Config
  readonly #http: Http

  /** @internal */
  constructor(http: Http) {
    this.#http = http
    this.fs = new Files(http)
    this.processes = new Processes(http)
    this.terminals = new Terminals(http)
    this.config = new Config(http)
  }

  /** Runs a program to its end, with its output as it is written: `run("npm test", { onStdout })`. Leaving ends it. */
  run(program: Program, options: RunOptions & RunHandlers = {}): Promise<RunResult> {
    return run(this.processes, program, options, this.#http.limits)
  }
  /** The same as a loop: what it writes, then `exit`. It begins with the first read, and leaving the loop ends it. */
  runStream(program: Program, options: RunOptions = {}): AsyncGenerator<RunOutput, undefined> {
    return runOutput(this.processes, program, options)
  }

  getHealth(options?: CallOptions): Promise<Health> {
    return this.#get("Asking for health", "/v1/health", options)
  }
  /** Figures in the format of Prometheus. */
  getMetrics(options?: CallOptions): Promise<string> {
    return this.#http.text({ ...options, what: "Reading metrics", method: "GET", path: "/metrics" })
  }
  /** The reference page, as HTML. */
  getDocs(options?: CallOptions): Promise<string> {
    return this.#http.text({ ...options, what: "Reading the reference", method: "GET", path: "/docs" })
  }
  getOpenApi(options?: CallOptions): Promise<AnswerOf<"getOpenApi">> {
    return this.#get("Reading the contract", "/openapi.json", options)
  }
  /** Signs one page in, once: the inspector is opened at `/ui/#ticket=…`. */
  makeTicket(options?: CallOptions): Promise<AnswerOf<"makeTicket">> {
    return this.#post("Asking for a ticket", "/v1/tickets", undefined, options)
  }
  /** The token, for a ticket. Needs none itself. */
  redeemTicket(ticket: string, options?: CallOptions): Promise<AnswerOf<"redeemTicket">> {
    return this.#post("Redeeming a ticket", "/v1/tickets/redeem", { ticket }, options)
  }
  /** Lifecycle of all sessions, from now on or from `lastEventId`; goes on through restarts of the daemon. */
  streamGlobalEvents(options: StreamOptions & { lastEventId?: string } = {}): EventStream<GlobalEvent> {
    const call = { what: "Following all sessions", path: "/v1/events/sse" }
    return endlessStream<GlobalEvent>(this.#http, call, options, options.lastEventId)
  }

  listAgents(options?: CallOptions): Promise<AnswerOf<"listAgents">> {
    return this.#get("Listing agents", "/v1/agents", options)
  }
  getAgent(agent: string, options?: CallOptions): Promise<Agent> {
    return this.#get(`Asking for agent ${agent}`, `/v1/agents/${segment(agent)}`, options)
  }
  listModes(agent: string, options?: CallOptions): Promise<AnswerOf<"listModes">> {
    return this.#get(`Listing modes of ${agent}`, `/v1/agents/${segment(agent)}/modes`, options)
  }
  /** Resolves when the agent is there. Leaving does not stop an install. */
  async installAgent(agent: string, { onProgress, signal, ...request }: InstallOptions = {}): Promise<InstallResult> {
    const what = `Installing ${agent}`
    const path = `/v1/agents/${segment(agent)}/install`
    const call = { what, method: "POST" as const, path, json: request }
    const isLast = ({ type }: StreamOf<"installAgent">) => type !== "install.progress"
    for await (const event of endingStream<StreamOf<"installAgent">>(this.#http, call, isLast, { signal })) {
      if (event.type === "install.progress") onProgress?.(event)
      else if (event.type === "install.done") return withoutType(event)
      else {
        const problem = { ...event, type: event.problem }
        throw new ProblemError(what, event.status, "", problem)
      }
    }
    throw new SandboxAgentError("protocol", `${what}: the stream ended without a result`)
  }

  /** With the given id, or one that the daemon makes. Installs the agent if it is missing. */
  createSession(request: CreateSessionRequest, options?: CallOptions): Promise<CreatedSession>
  createSession(id: string, request: CreateSessionRequest, options?: CallOptions): Promise<CreatedSession>
  async createSession(
    first: string | CreateSessionRequest,
    second?: CreateSessionRequest | CallOptions,
    third?: CallOptions,
  ): Promise<CreatedSession> {
    const named = typeof first !== "object"
    const path = named ? `/v1/sessions/${segment(first)}` : "/v1/sessions"
    const options = named ? third : (second as CallOptions | undefined)
    return this.#post("Creating a session", path, named ? second : first, { ...options, slow: true })
  }
  /** A session of another daemon, from what was said in it; `restoreStored` of `sandbox-agent/store` takes that from a store. */
  restoreSession(id: string, request: RestoreSessionRequest, options?: CallOptions): Promise<RestoredSession> {
    return this.#post(`Restoring session ${id}`, `${session(id)}/restore`, request, { ...options, slow: true })
  }
  getSession(id: string, options?: CallOptions): Promise<SessionInfo> {
    return this.#get(`Asking for session ${id}`, session(id), options)
  }
  patchSession(id: string, change: UpdateSessionRequest, options?: CallOptions): Promise<UpdatedSession> {
    const what = `Changing session ${id}`
    return this.#http.json({ ...options, what, method: "PATCH", path: session(id), json: change, slow: true })
  }
  /** With its log. */
  deleteSession(id: string, options?: CallOptions): Promise<AnswerOf<"deleteSession">> {
    return this.#http.json({
      ...options,
      what: `Deleting session ${id}`,
      method: "DELETE",
      path: session(id),
      slow: true,
    })
  }
  /** Interrupts the running turn; resolves when it has ended. */
  cancelTurn(id: string, { signal, timeoutMs, ...request }: CancelOptions = {}): Promise<CancelledTurn> {
    return this.#post(`Cancelling in ${id}`, `${session(id)}/cancel`, request, { signal, timeoutMs, slow: true })
  }
  /** The folded transcript, and the sequence it is true for. */
  listItems(id: string, options?: CallOptions): Promise<AnswerOf<"listItems">> {
    return this.#get(`Reading the items of ${id}`, `${session(id)}/items`, options)
  }
  /** Permissions and questions that wait for an answer. */
  listPending(id: string, options?: CallOptions): Promise<AnswerOf<"listPending">> {
    return this.#get(`Reading the requests of ${id}`, `${session(id)}/pending`, options)
  }
  /** The agent's own record of a session that rests, to be restored with elsewhere. */
  getNativeState(id: string, options?: CallOptions): Promise<NativeState> {
    return this.#get(`Reading the native state of ${id}`, `${session(id)}/native-state`, options)
  }
  /** Bytes of an attachment or image. */
  getBlob(
    id: string,
    hash: string,
    { onProgress, ...options }: CallOptions & { onProgress?: OnProgress } = {},
  ): Promise<Blob> {
    const call = { ...options, what: "Reading a blob", path: `${session(id)}/blobs/${segment(hash)}` }
    return this.#http.whole({ ...call, method: "GET" }, async (response) => {
      const bytes = await allBytes(response, call.what, onProgress)
      return new Blob([bytes], { type: response.headers.get("content-type") ?? "" })
    })
  }

  /** Asked again when the connection breaks: its id, made here unless given, keeps it from being sent twice. */
  postMessage(id: string, request: PostMessageRequest, options?: CallOptions): Promise<PostedMessage> {
    const named = { ...request, messageId: request.messageId ?? randomId("msg") }
    return this.#post(`Sending a message to ${id}`, `${session(id)}/messages`, named, { ...options, safe: true })
  }
  /** The events of the turn that takes the message. A connection that breaks ends it: `streamEvents` does not. */
  streamMessage(id: string, request: PostMessageRequest, options: EventOptions = {}): EventStream<Event> {
    const messageId = request.messageId ?? randomId("msg")
    const call = {
      what: `Sending a message to ${id}`,
      method: "POST" as const,
      path: `${session(id)}/messages/stream`,
      query: rawQuery(options),
      json: { ...request, messageId },
    }
    return endingStream<Event>(this.#http, call, (event) => endsMessage(event, messageId), options)
  }
  /** Takes back a message that still waits. */
  withdrawMessage(id: string, messageId: string, options?: CallOptions): Promise<AnswerOf<"withdrawMessage">> {
    const path = `${session(id)}/messages/${segment(messageId)}`
    return this.#http.json({ ...options, what: `Withdrawing ${messageId}`, method: "DELETE", path })
  }

  /** A page of the log behind `offset`. */
  getEvents(id: string, options: EventPage & CallOptions = {}): Promise<AnswerOf<"getEvents">> {
    const { offset, limit, signal, timeoutMs } = options
    const query = { offset, limit, ...rawQuery(options) }
    const what = `Reading events of ${id}`
    return this.#http.json({ what, method: "GET", path: `${session(id)}/events`, query, signal, timeoutMs })
  }
  /** The log behind `offset`, then live; goes on through broken connections and restarts, without a gap and without repeating. */
  streamEvents(id: string, options: EventOptions & { offset?: number } = {}): EventStream<Event> {
    const path = `${session(id)}/events/sse`
    const call = { what: `Following ${id}`, path, query: rawQuery(options) }
    return sequenceStream<Event>(this.#http, call, options, options.offset ?? 0)
  }

  replyPermission(
    id: string,
    permissionId: string,
    reply: PermissionReply | BodyOf<"replyPermission">,
    options?: CallOptions,
  ): Promise<AnswerOf<"replyPermission">> {
    const path = `${session(id)}/permissions/${segment(permissionId)}/reply`
    return this.#post("Answering a permission", path, typeof reply === "string" ? { reply } : reply, options)
  }
  /** One array of chosen labels, or of free text, for each question asked. */
  replyQuestion(
    id: string,
    questionId: string,
    answers: string[][],
    options?: CallOptions,
  ): Promise<AnswerOf<"replyQuestion">> {
    const path = `${session(id)}/questions/${segment(questionId)}/reply`
    return this.#post("Answering a question", path, { answers }, options)
  }
  rejectQuestion(
    id: string,
    questionId: string,
    { message, ...options }: CallOptions & { message?: string } = {},
  ): Promise<AnswerOf<"rejectQuestion">> {
    const path = `${session(id)}/questions/${segment(questionId)}/reject`
    return this.#post("Rejecting a question", path, { message }, options)
  }

  #get<T>(what: string, path: string, options?: CallOptions): Promise<T> {
    return this.#http.json({ ...options, what, method: "GET", path })
  }
  #post<T>(what: string, path: string, json: unknown, options?: CallOptions & { slow?: boolean; safe?: boolean }) {
    return this.#http.json<T>({ ...options, what, method: "POST", path, json })
  }
}

export interface InstallOptions extends InstallRequest {
  onProgress?: (progress: InstallProgress) => void
  signal?: AbortSignal
}
export interface CancelOptions extends CallOptions {
  /** Also withdraw the messages that wait. */
  queue?: BodyOf<"cancelTurn">["queue"]
  /** Also end work that goes on behind turns. */
  background?: BodyOf<"cancelTurn">["background"]
}
export interface EventOptions extends StreamOptions {
  /** Also the native line of each event. */
  includeRaw?: boolean
}
export interface EventPage {
  /** The last sequence seen; default 0. */
  offset?: number
  limit?: number
  includeRaw?: boolean
}

export const session = (id: string): string => `/v1/sessions/${segment(id)}`
const rawQuery = ({ includeRaw }: { includeRaw?: boolean }) => (includeRaw ? { include_raw: true } : {})

const withoutType = ({ type: _, ...result }: InstallResult & { type: string }): InstallResult => result

function endsMessage(event: Event, messageId: string): boolean {
  if (event.type === "turn.ended") return event.data.message_ids.includes(messageId)
  if (event.type !== "message.updated" || event.data.message_id !== messageId) return false
  return event.data.state === "withdrawn" || event.data.state === "failed"
}
