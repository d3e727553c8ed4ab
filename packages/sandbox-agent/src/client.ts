import { Rest } from "./api/rest.ts"
import { UniversalApi } from "./api/universal.ts"
import { Connection } from "./connection/connection.ts"
import { AlreadyConnectedError, isSandboxAgentError, NotConnectedError, SandboxAgentError } from "./errors.ts"
import { Deadline } from "./http/deadline.ts"
import type { CallOptions, Http } from "./http/http.ts"
import { type HttpClientOptions, httpOf, limitsOf, reachedAt } from "./options.ts"
import type { Prompt } from "./prompt.ts"
import type { Sandbox, SandboxProvider } from "./sandbox/sandbox.ts"
import { Session } from "./session/session.ts"
import type {
  ClientEvent,
  ConfigOption,
  ForkRequest,
  ListedSession,
  ListSessionsRequest,
  ModelList,
  NewSessionRequest,
  OpenedSession,
  OpenRequest,
  PromptResult,
} from "./session-calls.ts"
import { type SpawnedSandboxAgent, type SpawnOptions, spawnSandboxAgent } from "./spawn.ts"
import type { CreateSessionRequest, Metadata } from "./types.ts"

export interface ClientOptions extends HttpClientOptions {
  /** Of sessions that name none. */
  agent?: string
  /** False: nothing is connected before `connect()`. */
  autoConnect?: boolean
}

export interface ConnectOptions extends Omit<ClientOptions, "baseUrl" | "autoConnect"> {
  /** A daemon that runs already. Without it one is started that belongs to this program. */
  baseUrl?: string | URL
  /** False: none is started. */
  spawn?: boolean | (SpawnOptions & { enabled?: boolean })
  /** Where a daemon of its own is started, in place of this machine: `docker()` of `sandbox-agent/docker`, and so on. */
  sandbox?: SandboxProvider
  /** Gives up the start and the connection. */
  signal?: AbortSignal
}

type State =
  | { name: "apart"; why?: unknown }
  | { name: "connecting"; connecting: Promise<Connection>; stop: AbortController }
  | { name: "connected"; connection: Connection }

/**
 * A client of one daemon. Session calls (`newSession` … `terminateSession`) go over its one connection, which is opened by itself unless
 * `autoConnect` is false; everything else is plain HTTP and never needs it.
 */
export class SandboxAgentClient extends UniversalApi implements AsyncDisposable {
  /** Every operation of the API by its name, also those that session calls share theirs with. */
  readonly rest: Rest
  readonly #http: Http
  readonly #options: ClientOptions
  readonly #listeners = new Set<(event: ClientEvent) => void>()
  #state: State = { name: "apart" }
  #daemon: SpawnedSandboxAgent | Sandbox | undefined

  constructor(options: ClientOptions) {
    const http = httpOf(options)
    super(http)
    this.#http = http
    this.#options = options
    this.rest = new Rest(http)
    // Whoever needs the connection is told why there is none.
    if (options.autoConnect !== false) this.connect().catch(() => undefined)
  }

  /** A client that is connected: to the daemon at `baseUrl`, or to one of its own, which ends with `dispose()` or with this program. */
  static async connect(options: ConnectOptions = {}): Promise<SandboxAgentClient> {
    const { baseUrl, spawn, sandbox, signal, ...rest } = options
    const { enabled = spawn !== undefined || (baseUrl === undefined && sandbox === undefined), ...how } =
      typeof spawn === "object" ? spawn : { enabled: spawn }
    if ([enabled, baseUrl !== undefined, sandbox !== undefined].filter((is) => is).length !== 1)
      throw new SandboxAgentError("argument", "A baseUrl, spawn or a sandbox is expected, and one of them alone")
    if (baseUrl !== undefined)
      return connected(new SandboxAgentClient({ ...rest, baseUrl, autoConnect: false }), signal)
    if (sandbox !== undefined) {
      if (rest.token !== undefined)
        throw new SandboxAgentError("argument", "The token of a sandbox is given to its provider")
      const made = await sandbox.create({
        signal,
        limits: limitsOf(rest.limits),
        fetch: rest.fetch,
        onError: rest.onError,
      })
      return SandboxAgentClient.#owning(made, { ...rest, ...reachedAt(made, rest) }, signal)
    }
    const token = how.token ?? (typeof rest.token === "string" ? rest.token : undefined)
    const daemon = await spawnSandboxAgent({ signal, ...how, token })
    return SandboxAgentClient.#owning(daemon, { ...rest, baseUrl: daemon.baseUrl, token: daemon.token }, signal)
  }

  /** A client of a daemon that is started for it, here or in a sandbox. */
  static start({ spawn, ...options }: Omit<ConnectOptions, "baseUrl"> = {}): Promise<SandboxAgentClient> {
    return SandboxAgentClient.connect({ ...options, spawn: spawn ?? (options.sandbox === undefined || undefined) })
  }

  static #owning(daemon: SpawnedSandboxAgent | Sandbox, options: ClientOptions, signal: AbortSignal | undefined) {
    const client = new SandboxAgentClient({ ...options, autoConnect: false })
    client.#daemon = daemon
    return connected(client, signal)
  }

  /** The sandbox that was started for this client. */
  get sandbox(): Sandbox | undefined {
    return this.#daemon !== undefined && "provider" in this.#daemon ? this.#daemon : undefined
  }

  get connected(): boolean {
    return this.#state.name === "connected"
  }

  /** Opens the connection. One instance has one: a second call is an error until `disconnect()`. */
  async connect({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    if (this.#state.name !== "apart") throw new AlreadyConnectedError()
    const stop = new AbortController()
    const onAbort = () => stop.abort(signal?.reason)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener("abort", onAbort)
    const state: State = { name: "connecting", connecting: this.#open(stop.signal), stop }
    this.#state = state
    try {
      const connection = await state.connecting
      if (this.#state !== state) throw new NotConnectedError("Disconnected while connecting")
      this.#state = { name: "connected", connection }
    } catch (error) {
      if (this.#state === state) this.#state = { name: "apart", why: error }
      throw error
    } finally {
      signal?.removeEventListener("abort", onAbort)
    }
  }

  /** Closes the connection; sessions go on. Nothing to do without one. */
  async disconnect(): Promise<void> {
    const state = this.#state
    this.#state = { name: "apart" }
    if (state.name === "connecting") state.stop.abort()
    if (state.name === "connected") await state.connection.close()
  }

  /**
   * Disconnects, ends what is still open (every promise and stream of this client rejects with `aborted`, session calls with `not_connected`), and ends the daemon, or the
   * sandbox, that was started for it. That the daemon cannot be reached any more is told to `onError`.
   */
  async dispose(): Promise<void> {
    try {
      await this.disconnect()
    } catch (error) {
      // It is let go of either way, and the daemon forgets the connection by itself.
      if (!isSandboxAgentError(error) || !["network", "timeout"].includes(error.kind)) throw error
      this.#report(error)
    } finally {
      this.#http.lifetime.end()
      await this.#daemon?.dispose()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }

  /** What the connection tells by itself. Returns what ends it. */
  onEvent(listener: (event: ClientEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** A session of this name, whoever made it. Nothing is asked before it is used, and no connection is needed. */
  session(id: string): Session {
    return new Session(this.rest, id, this.#http.limits, (error) => this.#report(error))
  }
  /** Creates a session. Installs its agent if it is missing; `created.healthy` tells whether that runs. */
  async startSession(
    { id, ...request }: CreateSessionRequest & { id?: string },
    options?: CallOptions,
  ): Promise<Session> {
    const created = await (id === undefined
      ? this.createSession(request, options)
      : this.createSession(id, request, options))
    return new Session(this.rest, created.session.id, this.#http.limits, (error) => this.#report(error), created)
  }

  newSession(request: NewSessionRequest, options?: CallOptions): Promise<OpenedSession> {
    return this.#over(options, (connection) => connection.newSession(request, options))
  }
  /** Opens a session of whatever client on this connection; one that has ended goes on. */
  loadSession(id: string, request: OpenRequest = {}, options?: CallOptions): Promise<OpenedSession> {
    return this.#over(options, (connection) => connection.loadSession(id, request, options))
  }
  resumeSession(id: string, request: OpenRequest = {}, options?: CallOptions): Promise<OpenedSession> {
    return this.#over(options, (connection) => connection.resumeSession(id, request, options))
  }
  forkSession(id: string, request: ForkRequest = {}, options?: CallOptions): Promise<OpenedSession> {
    return this.#over(options, (connection) => connection.forkSession(id, request, options))
  }
  listSessions(
    request: ListSessionsRequest = {},
    options?: CallOptions,
  ): Promise<{ sessions: ListedSession[]; nextCursor?: string }> {
    return this.#over(options, (connection) => connection.listSessions(request, options))
  }
  /** Resolves when the turn has ended. Aborting cancels it. */
  prompt(id: string, prompt: Prompt, options?: CallOptions): Promise<PromptResult> {
    return this.#over(options, (connection) => connection.prompt(id, prompt, options))
  }
  /** Asks the agent to stop; its prompt resolves with `cancelled`. */
  cancel(id: string, options?: CallOptions): Promise<void> {
    return this.#over(options, (connection) => connection.cancel(id, options))
  }
  setSessionMode(id: string, agentMode: string, options?: CallOptions): Promise<void> {
    return this.#over(options, (connection) => connection.setSessionMode(id, agentMode, options))
  }
  setSessionModel(id: string, model: string, options?: CallOptions): Promise<void> {
    return this.#over(options, (connection) => connection.setSessionModel(id, model, options))
  }
  /** `mode`, `model`, `variant`, `permission_mode`, or an option of the agent's own; resolves with all options as they are then. */
  setSessionConfigOption(
    id: string,
    option: string,
    value: string | boolean,
    options?: CallOptions,
  ): Promise<ConfigOption[]> {
    return this.#over(options, (connection) => connection.setSessionConfigOption(id, option, value, options))
  }
  /** Of a session, or of an agent before there is one. */
  listModels(of: { sessionId: string } | { agent?: string } = {}, options?: CallOptions): Promise<ModelList> {
    return this.#over(options, (connection) => connection.listModels(of, options))
  }
  /** The given keys over those that are there. `title`, `model`, `mode`, `variant` and `permissionMode` change the session, too. */
  setMetadata(id: string, metadata: Metadata, options?: CallOptions): Promise<void> {
    return this.#over(options, (connection) => connection.setMetadata(id, metadata, options))
  }
  /** Leaves a session; nobody else notices. */
  detachSession(id: string, options?: CallOptions): Promise<void> {
    return this.#over(options, (connection) => connection.detachSession(id, options))
  }
  terminateSession(id: string, options?: CallOptions): Promise<void> {
    return this.#over(options, (connection) => connection.terminateSession(id, options))
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    const { agent } = this.#options
    const tell = (event: ClientEvent) => this.#tell(event)
    const connection = new Connection(this.#http, agent, tell, (error) => this.#report(error))
    try {
      await connection.open(signal)
    } catch (error) {
      // It never came to be: that it cannot be closed is no more news.
      connection.close().catch(() => undefined)
      throw error
    }
    void connection.closed.then((error) => this.#lost(connection, error))
    return connection
  }

  #lost(connection: Connection, error: Error | undefined): void {
    if (error === undefined || this.#state.name !== "connected" || this.#state.connection !== connection) return
    this.#state = { name: "apart", why: error }
    this.#tell({ type: "disconnected", error })
  }

  async #over<T>(options: CallOptions | undefined, work: (connection: Connection) => Promise<T>): Promise<T> {
    return work(await this.#connection(options))
  }

  async #connection({ signal, timeoutMs }: CallOptions = {}): Promise<Connection> {
    const state = this.#state
    if (state.name === "connected") return state.connection
    if (state.name === "apart") throw new NotConnectedError(undefined, state.why)
    const deadline = new Deadline("Waiting for the connection", signal, timeoutMs ?? Number.POSITIVE_INFINITY)
    try {
      return await deadline.hold(state.connecting)
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.explain(error)
      const why = error instanceof SandboxAgentError ? error.message : String(error)
      throw new NotConnectedError(`Not connected: ${why}`, error)
    } finally {
      deadline.release()
    }
  }

  #tell(event: ClientEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event)
      } catch (error) {
        this.#report(new SandboxAgentError("argument", `A listener threw: ${String(error)}`, error))
      }
    }
  }

  #report(error: Error): void {
    this.#http.report(error)
  }
}

async function connected(client: SandboxAgentClient, signal?: AbortSignal): Promise<SandboxAgentClient> {
  try {
    await client.connect({ signal })
    return client
  } catch (error) {
    await client.dispose()
    throw error
  }
}
