import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { AgentFiles, Host, NativeRef, OpenOptions } from "../../core/driver.ts"
import type { LineOutcome, Sink } from "../../core/driver-sink.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"
import { type Json, record } from "../shared/json.ts"
import type { AcpAgent } from "./agent.ts"
import { Chooser } from "./chooser.ts"
import { Contents } from "./content.ts"
import { Files } from "./files.ts"
import { Messages } from "./messages.ts"
import { ModeGuard } from "./mode-guard.ts"
import type { Ask } from "./passthrough-choices.ts"
import { type Incoming, type Outcome, type RpcId, rpcCodes } from "./peer.ts"
import { type Answering, PendingRequests } from "./pending-requests.ts"
import type { AcpProcess, Attached } from "./process.ts"
import { InvalidParams, type Service, unlessPlanning } from "./served.ts"
import { Terminals } from "./terminals.ts"
import { ToolCalls } from "./tool-calls.ts"
import { Turn } from "./turn.ts"
import { applyUpdate } from "./updates.ts"
import { UsageMeter } from "./usage.ts"

/** One conversation: reads what the agent says of it, and serves what the agent asks for in it. */
export class AcpSession implements Attached {
  readonly turn: Turn
  readonly messages: Messages
  readonly tools: ToolCalls
  readonly terminals: Terminals
  readonly usage = new UsageMeter()
  readonly chooser: Chooser
  readonly guard: ModeGuard
  readonly asks: PendingRequests
  readonly ref: NativeRef
  readonly reach: Host["reach"]
  /** It was continued, and no prompt of it was answered yet: some agents find out only then that they do not know it. */
  unproven: boolean
  /** The history is being replayed: we have it in the log. */
  replaying = false
  #process: AcpProcess | undefined
  readonly #services: Readonly<Record<string, Service>>

  constructor(
    readonly agent: AcpAgent,
    options: Omit<OpenOptions, "signal">,
    readonly sink: Sink,
    host: Host,
    learn: () => Promise<Json> = async () => ({}),
  ) {
    const { settings, owner, directory, env, from } = options
    this.unproven = from.kind !== "new"
    this.ref = { home: host.home, durable: false }
    this.reach = host.reach
    const contents = new Contents(sink)
    this.turn = new Turn(sink)
    this.messages = new Messages(sink, contents)
    this.chooser = new Chooser(agent.traits, settings, learn)
    this.guard = new ModeGuard(this)
    const { messages } = this
    this.terminals = new Terminals(owner, agent.id, directory, env, host)
    const { terminals } = this
    this.tools = new ToolCalls({ sink, messages, contents, terminals, turn: this.turn })
    const answering = {
      respond: (id: RpcId, result: unknown) => this.#respond(id, result),
      refuse: (...refusal: Parameters<Answering["refuse"]>) => this.#refuse(...refusal),
    }
    this.asks = new PendingRequests(sink, this.tools, answering, host.intervals?.passedOnMs)
    const files = new Files(host.files ?? noFiles, this.asks)
    const mode = () => this.chooser.permissionMode
    this.#services = {
      "fs/read_text_file": (params) => files.read(params),
      "fs/write_text_file": unlessPlanning(mode, (params) => files.write(params)),
      "terminal/create": unlessPlanning(mode, (params) => terminals.create(params)),
      "terminal/output": (params) => terminals.output(params),
      "terminal/wait_for_exit": (params) => terminals.wait(params),
      "terminal/kill": (params) => terminals.kill(params),
      "terminal/release": (params) => terminals.release(params),
    }
  }

  get working(): boolean {
    return this.turn.running || this.replaying
  }

  joined(process: AcpProcess): void {
    this.#process = process
  }

  /** Asks for a change of its settings. */
  readonly change: Ask = async (method, params, read) => {
    const onReply = (outcome: Outcome) => "result" in outcome && read(outcome.result)
    await this.#process?.ask(method, params, this, { onReply }).reply
  }

  /** Tells the agent to stop what it does. */
  async cancel(): Promise<void> {
    await this.#process?.notify("session/cancel", { sessionId: this.ref.id }, this)
  }

  /** The process is gone, or the session has left it. */
  lost(): void {
    this.turn.unsent()
    this.asks.forget()
    void this.terminals.endAll()
  }

  receive({ method, params, id }: Incoming): LineOutcome {
    if (method === "session/update") return this.#update(params)
    if (method === "$/cancel_request") return this.#withdrawn(params.requestId)
    if (id === undefined) return this.#notified(method, params)
    if (method === "session/request_permission") return this.asks.permission(id, params)
    // Without a session it belongs to a login, which is not ours to make.
    if (method === "elicitation/create" && params.sessionId !== undefined) return this.asks.elicitation(id, params)
    const service = this.#services[method]
    if (service === undefined && method !== "elicitation/create") return this.asks.passOn(id, method)
    this.sink.native(method)
    if (service === undefined) return ignoreGone(this.#respond(id, { action: "decline" }))
    ignoreGone(this.#serve(id, () => service(params)))
  }

  #update(params: Incoming["params"]): LineOutcome {
    const update = record(params.update)
    if (this.replaying && !isOfNow(update.sessionUpdate)) return
    // A report about the session itself is no sign that it has the message.
    if (this.turn.running && !isOfNow(update.sessionUpdate)) this.turn.taken()
    return applyUpdate(update, this)
  }

  /** Of its own life: kept where it came. */
  #notified(method: string, params: Incoming["params"]): void {
    if (this.replaying && params.sessionId !== undefined) return
    if (method === "elicitation/complete") return this.sink.native(method)
    const { sessionId: _, ...details } = params
    this.sink.status(method.replace(/^_/, ""), JSON.stringify(details).slice(0, acpAgentLimits.statusChars))
  }

  #withdrawn(requestId: unknown): void {
    const id = this.asks.withdrawn(requestId)
    if (id !== undefined) ignoreGone(this.#refuse(id, rpcCodes.cancelled, "Request cancelled"))
  }

  async #serve(id: RpcId, service: () => unknown): Promise<void> {
    try {
      await this.#respond(id, record(await service()))
    } catch (error) {
      const code = error instanceof InvalidParams ? error.code : rpcCodes.internal
      await this.#refuse(id, code, error instanceof Error ? error.message : String(error))
    }
  }

  async #respond(id: RpcId, result: unknown): Promise<void> {
    await this.#process?.respond(id, result, this)
  }

  async #refuse(id: RpcId, code: number, message: string, data?: unknown): Promise<void> {
    await this.#process?.refuse(id, { code, message, data }, this)
  }
}

/** Outside a session there are none. */
const noFiles: AgentFiles = {
  read: (path) => Promise.reject(new SandboxAgentError("permission_denied", `${path} belongs to no session`)),
  write: (path) => Promise.reject(new SandboxAgentError("permission_denied", `${path} belongs to no session`)),
}

/** During a replay only these are new: everything else is in the log already. */
const isOfNow = (kind: unknown): boolean =>
  ["available_commands_update", "config_option_update", "current_mode_update", "session_info_update"].includes(
    String(kind),
  )
