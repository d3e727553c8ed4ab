import { AcpError, AcpHttpClient, AcpRpcError, type Envelope } from "acp-http-client"
import type { Message } from "../wire.ts"
import { type ChaosClient, type Decision, decide, type Form, type Json, Refused, Unsure, within } from "./client.ts"

const patient = { reconnectMinMs: 2, reconnectMaxMs: 50, reconnectAttempts: 2_000, answerAttempts: 2_000 }

/** Our own client, as its users have it, and every message it let through. */
export class ProductClient implements ChaosClient {
  readonly decisions = new Map<string, Decision>()
  readonly answers = new Map<number, Message>()
  readonly headers: Record<string, string> = {}
  readonly inbound: Message[] = []
  /** Problems that no promise tells. */
  readonly problems: AcpError[] = []
  readonly #sessions = new Map<number, string>()
  readonly #client: AcpHttpClient
  /** What became of its streams, for whoever asks why it hangs. */
  readonly states: string[] = []
  #numbered: ((id: number) => void) | undefined

  constructor(
    url: string,
    token: string,
    readonly form: Form,
    readonly capabilities: Json,
    readonly random: () => number,
    readonly heard: () => void,
  ) {
    const ask = (method: string) => (params: unknown) => this.#decide(method, params as Json)
    this.#client = new AcpHttpClient({
      url: `${url}${form.path}?agent=${form.agent}`,
      headers: { authorization: `Bearer ${token}` },
      transport: form.kind === "headerless" ? "headerless" : "auto",
      limits: patient,
      fetch: async (address, init) => {
        const response = await fetch(address, init)
        const connection = response.headers.get("acp-connection-id")
        if (connection !== null && form.kind === "official") this.headers["acp-connection-id"] = connection
        return response
      },
      handlers: {
        "session/request_permission": ask("session/request_permission") as never,
        "elicitation/create": ask("elicitation/create") as never,
      },
      onEnvelope: (envelope, direction) => this.#saw(envelope, direction),
      onStream: ({ sessionId, state, error }) => this.states.push(`${sessionId ?? "own"} ${state} ${error ?? ""}`),
      onError: (error) => this.problems.push(error),
    })
  }

  async initialize(): Promise<void> {
    await this.#client.initialize({ clientCapabilities: this.capabilities })
  }

  async request(method: string, params: Json, numbered?: (id: number) => void): Promise<Message> {
    this.#numbered = numbered
    const asked = this.#client.request(method, params)
    try {
      const result = await within(asked, () => this.#why(method))
      return { result: result as Json }
    } catch (error) {
      if (error instanceof AcpRpcError)
        throw new Refused({ code: error.code, message: error.message, data: error.data as Json })
      if (error instanceof AcpError && error.kind === "network") throw new Unsure(String(error))
      throw error
    }
  }

  #why(method: string): string {
    const { form, states, problems, inbound } = this
    const last = inbound.slice(-3).map((message) => JSON.stringify(message).slice(0, 300))
    return [`${form.kind} ${form.path} ${method}`, ...states.slice(-6), ...problems.map(String), ...last].join("\n")
  }

  logOf(session: string): Message[] {
    const official = this.form.kind === "official"
    return this.inbound.filter(({ id, method, params }) => {
      if (method !== undefined) return params?.sessionId === session
      return official && this.#sessions.get(Number(id)) === session
    })
  }

  async close(): Promise<void> {
    await this.#client.close()
    const [problem] = this.problems
    if (problem !== undefined) throw problem
  }

  #saw(envelope: Envelope, direction: "inbound" | "outbound"): void {
    const message = envelope as Message
    const { id, method, params } = message
    if (direction === "outbound") {
      if (method === undefined || typeof id !== "number") return
      this.#numbered?.(id)
      this.#numbered = undefined
      if (typeof params?.sessionId === "string" && method !== "session/load") this.#sessions.set(id, params.sessionId)
      return
    }
    this.inbound.push(message)
    if (method === undefined && typeof id === "number") this.answers.set(id, message)
    this.heard()
  }

  async #decide(method: string, params: Json): Promise<Json> {
    const ours = (
      params._meta as { "sandboxagent.dev": { permissionId?: string; questionId?: string; question?: number } }
    )["sandboxagent.dev"]
    const question = ours.question ? `${ours.questionId}.${ours.question}` : ours.questionId
    const id = ours.permissionId ?? question ?? ""
    const known = this.decisions.get(id)
    const { optionId, result } = decide(method, params, this.random)
    if (known === undefined) this.decisions.set(id, { optionId, asked: 1, posted: 1 })
    else known.asked++
    await Bun.sleep(this.random() < 0.5 ? 0 : this.random() * 60)
    return result
  }
}
