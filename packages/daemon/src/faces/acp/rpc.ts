import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { isRecord } from "./projection/envelope.ts"
import { rpcCodes, rpcError } from "./projection/rpc-error.ts"

export type RpcId = string | number | null

/** A message of a client, by what it asks of us. */
export type Incoming =
  | { kind: "call"; id: RpcId; method: string; params: unknown }
  | { kind: "notice"; method: string; params: unknown }
  | { kind: "reply"; id: RpcId; result?: unknown; error?: unknown }
  | { kind: "invalid"; id: RpcId; why: string }

export interface Answer {
  readonly jsonrpc: "2.0"
  readonly id: RpcId
  readonly result?: unknown
  readonly error?: { code: number; message: string; data?: unknown }
}

export const isId = (value: unknown): value is RpcId =>
  value === null ||
  (typeof value === "string" && value.length <= acpLimits.idChars) ||
  // Of a larger one it is not known any more how it was written, and its answer would find nobody.
  (typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
const noId = `id: neither a number of at most 2^53 - 1 nor a string of at most ${acpLimits.idChars} characters`

export function incoming(value: Record<string, unknown>): Incoming {
  const { id, method, params, result } = value
  // Some write every field of a response, some leave out what is `null`: only an error is one.
  const error = value.error ?? undefined
  const known = isId(id) ? id : null
  if (value.jsonrpc !== "2.0") return { kind: "invalid", id: known, why: 'jsonrpc: not "2.0"' }
  // All ids of ours are texts: with one, and nothing else, nothing is the answer.
  if (method === undefined && ("result" in value || "error" in value || typeof id === "string")) {
    if (!isId(id)) return { kind: "invalid", id: null, why: noId }
    if ("result" in value && error !== undefined)
      return { kind: "invalid", id: null, why: "result and error exclude each other" }
    return { kind: "reply", id, result: result ?? null, error }
  }
  if (typeof method !== "string") return { kind: "invalid", id: known, why: "method: not a string" }
  if (params !== undefined && !isRecord(params) && !Array.isArray(params))
    return { kind: "invalid", id: known, why: "params: not an object" }
  if (!("id" in value)) return { kind: "notice", method, params }
  if (!isId(id)) return { kind: "invalid", id: null, why: noId }
  return { kind: "call", id, method, params }
}

export const resultAnswer = (id: RpcId, result: unknown): Answer => ({ jsonrpc: "2.0", id, result })

export const errorAnswer = (id: RpcId, code: number, message: string, data?: unknown): Answer => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
})

export const parseError = (why: string): Answer => errorAnswer(null, rpcCodes.parseError, `Parse error: ${why}`)
export const invalidRequest = (id: RpcId, why: string): Answer =>
  errorAnswer(id, rpcCodes.invalidRequest, `Invalid request: ${why}`)
/** ACP does not use batches: the official transport answers any array once, and does nothing of it. */
export const batchRefused: Answer = errorAnswer(
  null,
  rpcCodes.invalidRequest,
  "Invalid request: JSON-RPC batches are not supported",
)

/** Anything thrown, as the answer to a call. */
export const thrownAnswer = (id: RpcId, thrown: unknown): Answer => ({ jsonrpc: "2.0", id, error: rpcError(thrown) })
