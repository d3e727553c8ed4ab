import { type Json, number, record, text } from "../shared/json.ts"
import { counter, ReplyTable, type SentRequest } from "../shared/reply-table.ts"
import type { Written } from "./exact-ids.ts"

/** 0 and the empty text are ids like any other; what no number holds is as it was written. */
export type RpcId = string | number | null | Written

export interface RpcFailure {
  code: number
  message: string
  data?: unknown
}

export type Outcome = { result: Json } | { failure: RpcFailure }

/** A request of the agent has an id, a notification has none. */
export interface Incoming {
  method: string
  params: Json
  id?: RpcId
}

export const rpcCodes = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  cancelled: -32800,
  authRequired: -32000,
  notFound: -32002,
} as const

/** An answer that is an error, before it has a meaning. */
export class RpcError extends Error {
  constructor(
    readonly method: string,
    readonly failure: RpcFailure,
  ) {
    super(failure.message)
    this.name = "RpcError"
  }
}

export interface AskOptions<O> {
  owner: O
  /** Called with the answer while its line is being read; not when the process is lost. */
  onReply?(outcome: Outcome): void
  /** Tells the agent that nobody waits for the answer any more. */
  signal?: AbortSignal
}

/** One end of JSON-RPC 2.0, one message in each line. Whatever was asked is settled, at the latest by `close`. */
export class Peer<O> {
  readonly #replies = new ReplyTable<RpcId, Json, { method: string; of: O }, RpcError>(counter(0))
  #closed: Error | undefined

  constructor(private readonly write: (line: string, owner: O) => Promise<void>) {}

  ask(method: string, params: object, { owner, onReply, signal }: AskOptions<O>): SentRequest<Json> {
    let sent: RpcId | undefined
    const send = (id: RpcId): Promise<void> => {
      sent = id
      return this.#send({ id, method, params }, owner)
    }
    const asked = this.#replies.ask(send, { method, of: owner }, (outcome) =>
      onReply?.("result" in outcome ? outcome : { failure: outcome.error.failure }),
    )
    signal?.addEventListener("abort", () => sent !== undefined && this.#giveUp(sent, owner), { once: true })
    return asked
  }

  request(method: string, params: object, options: AskOptions<O>): Promise<Json> {
    return this.ask(method, params, options).reply
  }

  notify(method: string, params: object, owner: O): Promise<void> {
    return this.#send({ method, params }, owner)
  }

  respond(id: RpcId, result: unknown, owner: O): Promise<void> {
    return this.#send({ id, result: result ?? null }, owner)
  }

  refuse(id: RpcId, error: RpcFailure, owner: O): Promise<void> {
    return this.#send({ id, error }, owner)
  }

  readonly isAwaited = (id: RpcId): boolean => this.#replies.has(id)

  /** For whom an answer is, when somebody waits for it. */
  ownerOf(id: unknown): O | undefined {
    return this.#replies.ownerOf(id as RpcId)?.of
  }

  /** `false`: nobody waits for it any more. */
  settle(message: Json): boolean {
    const id = message.id as RpcId
    // Some write every field of an answer, some leave out what is `null`: only an error is one.
    const failed = (message.error ?? undefined) !== undefined
    if (!failed) return this.#replies.settle(id, { result: record(message.result) })
    const { method = "" } = this.#replies.ownerOf(id) ?? {}
    return this.#replies.settle(id, { error: new RpcError(method, failureOf(message)) })
  }

  /** Nothing more will be answered. */
  close(error: Error): void {
    this.#closed ??= error
    this.#replies.close(error)
  }

  async #send(message: object, owner: O): Promise<void> {
    if (this.#closed !== undefined) throw this.#closed
    await this.write(JSON.stringify({ jsonrpc: "2.0", ...message }), owner)
  }

  #giveUp(id: RpcId, owner: O): void {
    if (!this.#replies.has(id)) return
    // A process that is gone needs no notice.
    this.notify("$/cancel_request", { requestId: id }, owner).catch(() => undefined)
  }
}

function failureOf(message: Json): RpcFailure {
  const error = record(message.error)
  return {
    code: number(error.code) ?? rpcCodes.internal,
    message: text(error.message) ?? "an error without a message",
    data: error.data,
  }
}

/** `undefined`: an answer to a request of ours. Throws on what is not JSON-RPC. */
export function incomingOf(message: Json, isAwaited: (id: RpcId) => boolean): Incoming | undefined {
  const method = text(message.method)
  const id = message.id as RpcId | undefined
  const params = record(message.params)
  if (method !== undefined) return id === undefined ? { method, params } : { method, params, id }
  // A result that a program does not have is not written by some: what waits is answered with nothing.
  const isAnswer = "result" in message || "error" in message || (!("method" in message) && isAwaited(id as RpcId))
  if (id === undefined || !isAnswer) throw new Error("neither a request, a notification nor an answer of JSON-RPC")
  return undefined
}
