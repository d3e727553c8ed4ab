import { AcpError } from "./errors.ts"

/** JSON-RPC 2.0 as ACP uses it: single messages, no batches. */
export type EnvelopeId = string | number | null

export interface RequestEnvelope {
  jsonrpc: "2.0"
  id: EnvelopeId
  method: string
  params?: unknown
}

export interface NotificationEnvelope {
  jsonrpc: "2.0"
  method: string
  params?: unknown
}

export interface RpcErrorObject {
  code: number
  message: string
  data?: unknown
}

export interface ResponseEnvelope {
  jsonrpc: "2.0"
  id: EnvelopeId
  result?: unknown
  error?: RpcErrorObject
}

export type Envelope = RequestEnvelope | NotificationEnvelope | ResponseEnvelope

export const rpcCodes = { methodNotFound: -32601, internal: -32603, cancelled: -32800 }

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isId = (id: unknown): id is EnvelopeId => typeof id === "string" || typeof id === "number" || id === null

/** Whether a JSON value is a message at all. */
export function isEnvelope(value: unknown): value is Envelope {
  if (!isObject(value) || value.jsonrpc !== "2.0") return false
  if (typeof value.method === "string") return !("id" in value) || isId(value.id)
  return isId(value.id) && ("result" in value || isRpcError(value.error))
}

/** An answer without what is `null`, as some programs write it, is told from other things by its id alone. */
export function isBareAnswer(value: unknown): value is ResponseEnvelope {
  if (!isObject(value) || value.jsonrpc !== "2.0" || "method" in value) return false
  return isId(value.id) && (value.error ?? undefined) === undefined
}

/** Some servers write every field of an answer: `null` is no error. */
export const isRpcError = (error: unknown): error is RpcErrorObject =>
  isObject(error) && typeof error.code === "number" && typeof error.message === "string"

export const isRequest = (envelope: Envelope): envelope is RequestEnvelope => "method" in envelope && "id" in envelope
export const isResponse = (envelope: Envelope): envelope is ResponseEnvelope => !("method" in envelope)

/** 1 and "1" are different ids. */
export const idKey = (id: EnvelopeId): string => `${typeof id}:${id}`

const stringField = (value: unknown, field: string): string | undefined => {
  const found = isObject(value) ? value[field] : undefined
  return typeof found === "string" ? found : undefined
}

/** The session a message names in its params, or an answer in its result. */
export const sessionOf = (envelope: Envelope): string | undefined =>
  stringField(isResponse(envelope) ? envelope.result : envelope.params, "sessionId")

export function toJson(envelope: Envelope, what: string): string {
  try {
    return JSON.stringify(envelope)
  } catch (error) {
    throw new AcpError("protocol", `${what}: cannot be written as JSON`, error)
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Told by the caller, who knows what it was to be.
    return undefined
  }
}
