import { type AcpError, AcpHttpClient, type RequestPermissionResponse } from "acp-http-client"
import { Deadline } from "../http/deadline.ts"
import type { CallOptions, Http } from "../http/http.ts"
import type { Prompt } from "../prompt.ts"
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
} from "../session-calls.ts"
import type { Metadata } from "../types.ts"
import { failureOf } from "./failures.ts"
import {
  blocksOf,
  configOption,
  forkParams,
  isObject,
  listedSession,
  newSessionParams,
  openedSession,
  ours,
  oursIn,
  serversOf,
} from "./meta.ts"

type Work<T> = (client: AcpHttpClient, signal: AbortSignal) => Promise<T>

const notices: Readonly<Record<string, ClientEvent["type"]>> = {
  "_sandboxagent/session/ended": "session.ended",
  "_sandboxagent/agent/unparsed": "agent.unparsed",
}

/** The one connection of a client: session calls go over it, and what the daemon tells of them comes back. */
export class Connection {
  /** Settles when it is over: with why, or nothing after `close`. */
  readonly closed: Promise<Error | undefined>
  readonly #client: AcpHttpClient
  readonly #http: Http
  readonly #agent: string | undefined

  constructor(
    http: Http,
    agent: string | undefined,
    tell: (event: ClientEvent) => void,
    report: (error: Error) => void,
  ) {
    this.#http = http
    this.#agent = agent
    const { limits } = http
    this.#client = new AcpHttpClient({
      url: http.url("/v1/rpc"),
      headers: () => http.headers(),
      fetch: http.fetch,
      limits: {
        initializeMs: limits.requestMs,
        acceptMs: limits.requestMs,
        openMs: limits.openMs,
        stallMs: limits.stallMs,
        // The daemon is known to send keep-alives: none is waited for before silence counts.
        silenceMs: limits.stallMs,
        reconnectAttempts: limits.reconnectAttempts,
        reconnectMinMs: limits.pauseMinMs,
        reconnectMaxMs: limits.pauseMaxMs,
        messageChars: limits.eventChars,
      },
      // What an agent asks in words of its own is refused at once: nobody would answer it.
      handlers: { "session/request_permission": (_, { signal }) => leftOpen(signal) },
      onNotification: ({ method, params }) => {
        const type = notices[method]
        if (type !== undefined && isObject(params)) tell({ type, ...params } as ClientEvent)
      },
      onError: (error) => report(failureOf("The connection", error)),
    })
    this.closed = this.#client.closed.then((error: AcpError | undefined) => error && failureOf("The connection", error))
  }

  async open(signal: AbortSignal): Promise<void> {
    const params = { clientInfo: { name: "sandbox-agent", version: "0.1.0" }, ...ours({ agent: this.#agent }) }
    await this.#run("Connecting", { signal }, (client, stop) => client.initialize(params, { signal: stop }))
  }

  /** Sessions go on: their agents rest when nobody else watches them. */
  async close(): Promise<void> {
    try {
      await this.#client.close()
    } catch (error) {
      throw failureOf("Disconnecting", error)
    }
  }

  newSession(request: NewSessionRequest, options?: CallOptions): Promise<OpenedSession> {
    return this.#run("Creating a session", options, async (client, signal) => {
      const answer = await client.newSession(newSessionParams(request, this.#agent), { signal })
      return openedSession(answer.sessionId, answer)
    })
  }
  loadSession(id: string, request: OpenRequest, options?: CallOptions): Promise<OpenedSession> {
    return this.#run(`Loading session ${id}`, options, async (client, signal) =>
      openedSession(id, await client.loadSession(openParams(id, request), { signal })),
    )
  }
  resumeSession(id: string, request: OpenRequest, options?: CallOptions): Promise<OpenedSession> {
    return this.#run(`Resuming session ${id}`, options, async (client, signal) =>
      openedSession(id, await client.resumeSession(openParams(id, request), { signal })),
    )
  }
  forkSession(id: string, request: ForkRequest, options?: CallOptions): Promise<OpenedSession> {
    return this.#run(`Forking session ${id}`, options, async (client, signal) => {
      const params = forkParams(id, request) as Parameters<AcpHttpClient["forkSession"]>[0]
      const answer = await client.forkSession(params, { signal })
      return openedSession(answer.sessionId, answer)
    })
  }

  listSessions(request: ListSessionsRequest, options?: CallOptions) {
    return this.#run("Listing sessions", options, async (client, signal) => {
      const params = { cwd: request.directory, cursor: request.cursor, ...ours({ agent: request.agent }) }
      const { sessions, nextCursor } = await client.listSessions(params, { signal })
      const listed: ListedSession[] = sessions.map(listedSession)
      return { sessions: listed, ...(typeof nextCursor === "string" && { nextCursor }) }
    })
  }

  /** Has no end of its own: a turn takes as long as it takes. */
  prompt(sessionId: string, prompt: Prompt, options: CallOptions = {}): Promise<PromptResult> {
    const patient = { timeoutMs: Number.POSITIVE_INFINITY, ...options }
    return this.#run(`Prompting ${sessionId}`, patient, async (client, signal) => {
      const answer = await client.prompt({ sessionId, prompt: blocksOf(prompt) }, { signal })
      const { turnId, messageId } = oursIn(answer)
      return {
        stopReason: answer.stopReason as PromptResult["stopReason"],
        ...(typeof turnId === "string" && { turnId }),
        ...(typeof messageId === "string" && { messageId }),
      }
    })
  }
  cancel(sessionId: string, options?: CallOptions): Promise<void> {
    return this.#run(`Cancelling in ${sessionId}`, options, (client) => client.cancel({ sessionId }))
  }

  async setSessionMode(sessionId: string, modeId: string, options?: CallOptions): Promise<void> {
    await this.#run(`Setting the mode of ${sessionId}`, options, (client, signal) =>
      client.setSessionMode({ sessionId, modeId }, { signal }),
    )
  }
  async setSessionModel(sessionId: string, modelId: string, options?: CallOptions): Promise<void> {
    await this.#run(`Setting the model of ${sessionId}`, options, (client, signal) =>
      client.setSessionModel({ sessionId, modelId }, { signal }),
    )
  }
  setSessionConfigOption(sessionId: string, option: string, value: string | boolean, options?: CallOptions) {
    return this.#run(`Setting ${option} of ${sessionId}`, options, async (client, signal): Promise<ConfigOption[]> => {
      const params = { sessionId, configId: option, value, ...(typeof value === "boolean" && { type: "boolean" }) }
      const answer = await client.setSessionConfigOption(
        params as Parameters<AcpHttpClient["setSessionConfigOption"]>[0],
        { signal },
      )
      return answer.configOptions.map(configOption)
    })
  }

  listModels(of: { sessionId: string } | { agent?: string }, options?: CallOptions): Promise<ModelList> {
    const params = "sessionId" in of ? of : ours({ agent: of.agent ?? this.#agent })
    return this.#run("Listing models", options, async (client, signal) => {
      const answer = await client.extMethod("_sandboxagent/session/list_models", params, { signal })
      return modelList(answer)
    })
  }
  async setMetadata(sessionId: string, metadata: Metadata, options?: CallOptions): Promise<void> {
    await this.#extend("set_metadata", { sessionId, metadata }, options)
  }
  async detachSession(sessionId: string, options?: CallOptions): Promise<void> {
    await this.#extend("detach", { sessionId }, options)
  }
  async terminateSession(sessionId: string, options?: CallOptions): Promise<void> {
    await this.#extend("terminate", { sessionId }, options)
  }

  #extend(name: string, params: Record<string, unknown>, options?: CallOptions): Promise<unknown> {
    const what = `${name.replace("_", " ")} of ${params.sessionId}`
    return this.#run(what, options, (client, signal) =>
      client.extMethod(`_sandboxagent/session/${name}`, params, { signal }),
    )
  }

  async #run<T>(what: string, { signal, timeoutMs }: CallOptions = {}, work: Work<T>): Promise<T> {
    const deadline = new Deadline(what, signal, timeoutMs ?? this.#http.limits.workMs)
    try {
      return await deadline.hold(work(this.#client, deadline.signal))
    } catch (error) {
      throw deadline.explain(failureOf(what, error))
    } finally {
      deadline.release()
    }
  }
}

const openParams = (sessionId: string, { directory, mcp }: OpenRequest) =>
  ({
    sessionId,
    ...(directory !== undefined && { cwd: directory }),
    ...(mcp !== undefined && { mcpServers: serversOf(mcp) }),
  }) as Parameters<AcpHttpClient["loadSession"]>[0]

function modelList(answer: unknown): ModelList {
  const { availableModels, currentModelId, defaultModel } = isObject(answer) ? answer : {}
  const models = (Array.isArray(availableModels) ? availableModels.filter(isObject) : []).map(
    ({ modelId, ...model }) => ({ id: modelId, ...model }),
  ) as unknown as ModelList["models"]
  return {
    models,
    ...(typeof currentModelId === "string" && { model: currentModelId }),
    ...(typeof defaultModel === "string" && { defaultModel }),
  }
}

/** Permissions and questions are answered by `Session`, or by another client: here they stay open until somebody did. */
function leftOpen(signal: AbortSignal): Promise<RequestPermissionResponse> {
  const withdrawn = { outcome: { outcome: "cancelled" } } as const
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(withdrawn)
    signal.addEventListener("abort", () => resolve(withdrawn), { once: true })
  })
}
