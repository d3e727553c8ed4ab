import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { readJson } from "../http/body.ts"
import { isRecord } from "./projection/envelope.ts"
import { type Answer, batchRefused, invalidRequest, parseError } from "./rpc.ts"

/** A posted message, or how it is refused: in the words of the official transport, and as JSON-RPC has it. */
export type Posting =
  | { message: Record<string, unknown> }
  | { status: number; words: string; answer: Answer; batch?: true }

export async function readMessage(request: Request): Promise<Posting> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase()
  if (type !== "application/json") {
    const why = `the body is ${type || "of no stated type"}, not application/json`
    return { status: 415, words: "Unsupported Media Type", answer: invalidRequest(null, why) }
  }
  let value: unknown
  try {
    value = await readJson(request)
  } catch (error) {
    if (!SandboxAgentError.is(error)) throw error
    if (error.code === "payload_too_large")
      return { status: 413, words: "Payload Too Large", answer: invalidRequest(null, error.detail) }
    // Nothing is wrong with it: it may come again.
    if (error.code === "unavailable") throw error
    return { status: 400, words: "Invalid JSON", answer: parseError(error.detail) }
  }
  if (value === undefined) return { status: 400, words: "Invalid JSON", answer: parseError("the body is empty") }
  if (Array.isArray(value)) return { status: 400, words: "", answer: batchRefused, batch: true }
  if (!isRecord(value))
    return { status: 400, words: "Invalid JSON-RPC message", answer: invalidRequest(null, "not an object") }
  return { message: value }
}

export const text = (words: string, status: number, headers: Record<string, string> = {}): Response =>
  new Response(words, { status, headers: { "content-type": "text/plain", ...headers } })

export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(value, { status, headers: { "cache-control": "no-store", ...headers } })

export const empty = (status: number): Response => new Response(null, { status })
