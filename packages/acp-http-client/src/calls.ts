import { idKey, isRpcError, type RequestEnvelope, type ResponseEnvelope } from "./envelope.ts"
import { type AcpError, AcpRpcError, abortError } from "./errors.ts"
import type { Limits } from "./limits.ts"
import { attaching } from "./methods.ts"
import type { Posting } from "./transport-port.ts"
import { type UnconfirmedCall, UnconfirmedCalls } from "./unconfirmed-calls.ts"

export interface CallPort {
  /** Whether streams are per session. */
  official(): boolean
  post(envelope: RequestEnvelope, posting: Posting): Promise<ResponseEnvelope | undefined>
  /** The caller has gone: tell the agent. */
  withdraw(call: OpenCall): void
  /** Answered without an error. */
  succeeded(call: OpenCall): void
  /** A call begins: what readers of updates have been given before tells whether they may wait for its answer themselves. */
  begin(): number
  /** A promise while readers are not done with the updates that came before the answer. */
  behind(call: OpenCall): Promise<unknown> | undefined
}

type Outcome = { result: unknown } | { error: AcpError }

export interface OpenCall {
  readonly id: number
  readonly method: string
  readonly sessionId?: string
  /** Its bytes have left, so the agent may know of it. */
  sent: boolean
  /** The server has taken it and will answer on a stream. */
  accepted: boolean
  readonly since: number
}

type Call = OpenCall & UnconfirmedCall

/** Our requests that are not answered yet. Each settles exactly once, whatever happens. */
export class Calls {
  readonly #port: CallPort
  readonly #limits: Limits
  readonly #open = new Map<string, Call>()
  /** Their callers are told when the readers of updates are done with what came before. */
  readonly #answered = new Map<Call, Outcome>()
  readonly #doubts = new Set<UnconfirmedCalls>()
  /** A start nobody else has: clients of one headerless stream see each other's answers. Integers, because some agents know no other ids. */
  #nextId = Math.floor(Math.random() * 2 ** 31) * 2 ** 16 + 1

  constructor(port: CallPort, limits: Limits) {
    this.#port = port
    this.#limits = limits
  }

  has(key: string): boolean {
    return this.#open.has(key)
  }

  start(method: string, params: unknown, sessionId: string | undefined, signal: AbortSignal | undefined) {
    return new Promise<unknown>((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal))
      const id = this.#nextId++
      const key = idKey(id)
      const posting = new AbortController()
      const onAbort = () => {
        if (signal === undefined) return
        posting.abort(signal.reason)
        if (call.sent && !call.settled) this.#port.withdraw(call)
        call.settle({ error: abortError(signal) })
      }
      const call: Call = {
        id,
        method,
        sessionId,
        sent: false,
        accepted: false,
        since: this.#port.begin(),
        settled: false,
        posting,
        settle: () => undefined,
      }
      call.settle = (outcome) => {
        if (!this.#open.delete(key) && !this.#answered.delete(call)) return
        call.settled = true
        signal?.removeEventListener("abort", onAbort)
        if ("error" in outcome) reject(outcome.error)
        else resolve(outcome.result)
      }
      this.#open.set(key, call)
      signal?.addEventListener("abort", onAbort)
      const envelope: RequestEnvelope = { jsonrpc: "2.0", id, method, params }
      const held = method === "initialize" || this.#port.official() ? undefined : this.#hold(call)
      this.#port
        .post(envelope, {
          signal: posting.signal,
          sending: () => {
            call.sent = true
          },
          alive: () => held?.heard(),
          broke: () =>
            this.#doubt(new UnconfirmedCalls(undefined, "answer_lost", [call], this.#limits.lostAnswerMs)).begin(),
        })
        .then(
          (answer) => {
            call.accepted = true
            if (answer !== undefined) this.answer(answer)
          },
          (error: AcpError) => call.settle({ error }),
        )
        .finally(() => held?.end())
    })
  }

  answer(response: ResponseEnvelope): void {
    const key = idKey(response.id)
    const call = this.#open.get(key)
    if (call === undefined) return
    const behind = this.#port.behind(call)
    const { error, result } = response
    const failed = isRpcError(error)
    if (!failed) this.#port.succeeded(call)
    const outcome = failed
      ? { error: new AcpRpcError(error.code, error.message, error.data) }
      : { result: result ?? null }
    if (behind === undefined) return call.settle(outcome)
    this.#open.delete(key)
    this.#answered.set(call, outcome)
    call.settled = true
    void behind.then(() => call.settle(outcome))
  }

  /** A stream broke that cannot say what was lost: an answer may be. */
  doubt(stream: string | undefined): void {
    for (const doubt of this.#doubts) if (doubt.stream === stream && doubt.kind === "answer_lost") doubt.end()
    const calls = [...this.#open.values()].filter((call) => this.#comesOn(call, stream))
    if (calls.length > 0) this.#doubt(new UnconfirmedCalls(stream, "answer_lost", calls, this.#limits.lostAnswerMs))
  }

  /** Open again: from now on silence counts. */
  reopened(stream: string | undefined): void {
    for (const doubt of this.#doubts) if (doubt.stream === stream) doubt.begin()
  }

  /** Something came: what is asked there is probably still being worked on. */
  heard(stream: string | undefined): void {
    for (const doubt of this.#doubts) if (doubt.stream === stream) doubt.heard()
  }

  failSession(sessionId: string, error: AcpError): void {
    for (const call of this.#open.values()) if (call.sent && call.sessionId === sessionId) call.settle({ error })
  }

  failAll(error: AcpError): void {
    for (const doubt of this.#doubts) doubt.end()
    for (const [call, outcome] of this.#answered) call.settle(outcome)
    for (const call of this.#open.values()) {
      call.settle({ error })
      call.posting.abort(error)
    }
  }

  /** A server that answers in the body may hold the request for the whole turn. */
  #hold(call: Call): UnconfirmedCalls {
    const doubt = this.#doubt(new UnconfirmedCalls(undefined, "timeout", [call], this.#limits.heldMs))
    doubt.begin()
    return doubt
  }

  #doubt(doubt: UnconfirmedCalls): UnconfirmedCalls {
    this.#doubts.add(doubt)
    doubt.ended = () => this.#doubts.delete(doubt)
    return doubt
  }

  #comesOn(call: Call, stream: string | undefined): boolean {
    if (!this.#port.official()) return call.accepted
    if (!call.sent) return false
    return call.sessionId === stream || (stream === undefined && attaching.has(call.method))
  }
}
