import {
  AcpHttpClient,
  type Envelope,
  type EnvelopeId,
  type RequestPermissionRequest,
  type SessionNotification,
  type SessionUpdate,
} from "acp-http-client"
import type { Subject } from "../subject.ts"
import { Asked } from "./asked.ts"
import type { FaceRun } from "./face-run.ts"

/** One message of the daemon; `method` of an answer is that of its request. */
export interface CheckedMessage {
  envelope: Envelope
  method: string
}

export interface FaceOptions {
  /** Questions come as forms; else as choices, one after the other. */
  forms: boolean
  /** One stream for everything, as clients have it that send no connection id; else the official transport. */
  headerless?: boolean
  /** What is wrong with a message, by the official schema. */
  check?(told: CheckedMessage): string[]
}

/** A method that is neither ACP's nor named as an extension has to be. */
const isVendors = (method: string): boolean =>
  !/^(_|\$\/|initialize$|(session|elicitation|fs|terminal|mcp)\/)/.test(method)

/** A client of the ACP face that keeps everything it receives. */
export class FaceClient {
  readonly http: AcpHttpClient
  readonly asked = new Asked()
  /** Messages that no client should get, in words. */
  readonly wrong: string[] = []
  readonly #updates = new Map<string, SessionUpdate[]>()
  readonly #calls = new Map<EnvelopeId, string>()
  readonly #ids = new Map<unknown, EnvelopeId>()

  constructor(
    /** Asked before each call: a daemon that comes again has another address. */
    place: () => { url: string; token: string },
    readonly subject: Subject,
    readonly options: FaceOptions,
    readonly run: FaceRun,
    signal?: AbortSignal,
  ) {
    const ask = this.asked
    this.http = new AcpHttpClient({
      url: "http://daemon.invalid/v1/rpc",
      fetch: (_, init) => fetch(`${place().url}/v1/rpc?agent=${encodeURIComponent(subject.agent)}`, init),
      headers: () => ({ authorization: `Bearer ${place().token}` }),
      transport: options.headerless ? "headerless" : "auto",
      handlers: {
        "session/request_permission": (params, context) => ask.take(String(this.idOf(params)), params, context),
        "elicitation/create": (params, context) => ask.take(String(this.idOf(params)), params, context),
      },
      signal,
      onEnvelope: (envelope, direction) => (direction === "inbound" ? this.#received(envelope) : this.#sent(envelope)),
      onError: ({ message }) => this.wrong.push(message),
    })
  }

  async initialize(): Promise<void> {
    const clientCapabilities = this.options.forms ? { elicitation: { form: {}, url: {} } } : {}
    await this.http.initialize({ clientInfo: { name: "conformance", version: "1" }, clientCapabilities })
  }

  updatesOf(sessionId: string): readonly SessionUpdate[] {
    return this.#updates.get(sessionId) ?? []
  }

  /** The JSON-RPC id of the request, of either side, with these very parameters. */
  idOf(params: object): EnvelopeId | undefined {
    return this.#ids.get(params)
  }

  #sent(envelope: Envelope): void {
    if (!("method" in envelope) || !("id" in envelope)) return
    this.#calls.set(envelope.id, envelope.method)
    if (envelope.method === "session/prompt") this.#ids.set(envelope.params, envelope.id)
  }

  #received(envelope: Envelope): void {
    const method = "method" in envelope ? envelope.method : this.#calls.get(envelope.id)
    if (method === undefined) this.wrong.push(`an answer to nothing: ${JSON.stringify(envelope).slice(0, 300)}`)
    else if (this.subject.speaks === "acp" && isVendors(method)) this.run.met.add("vendor")
    else this.wrong.push(...(this.options.check?.({ envelope, method }) ?? []))
    if (!("method" in envelope)) return
    if ("id" in envelope) this.#ids.set(envelope.params, envelope.id)
    if (method === "session/update") {
      const { sessionId, update } = envelope.params as SessionNotification
      this.#update(sessionId, update)
    }
    // What is asked about is shown: the request may be all that is told of its call before it runs.
    if (method === "session/request_permission") {
      const { sessionId, toolCall } = envelope.params as RequestPermissionRequest
      this.#update(sessionId, { sessionUpdate: "tool_call_update", ...toolCall })
    }
  }

  #update(sessionId: string, update: SessionUpdate): void {
    const updates = this.#updates.get(sessionId)
    if (updates === undefined) this.#updates.set(sessionId, [update])
    else updates.push(update)
  }
}
