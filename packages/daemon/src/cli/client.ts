import type { Method } from "@sandbox-agent/schema/contract/route"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Connection } from "./connection.ts"
import { textOf } from "./cut-off.ts"
import { cannotConnect, errorOfResponse, strangerHint } from "./problem.ts"

/** A body that `fetch` sends as it comes. */
export type Bytes = NonNullable<RequestInit["body"]>

export interface Call {
  readonly method: Method
  readonly path: string
  readonly query?: URLSearchParams
  readonly body?: unknown
  /** A body that is no JSON, sent as it comes. */
  readonly bytes?: Bytes | undefined
  readonly accept?: string
  readonly lastEventId?: string
  readonly signal?: AbortSignal
}

/** One request; anything but success is thrown as the error in its body. */
export async function call(connection: Connection, request: Call): Promise<Response> {
  const headers: Record<string, string> = { accept: request.accept ?? "application/json" }
  if (connection.token) headers.authorization = `Bearer ${connection.token}`
  if (request.lastEventId) headers["last-event-id"] = request.lastEventId
  if (request.body !== undefined) headers["content-type"] = "application/json"
  if (request.bytes !== undefined) headers["content-type"] = "application/octet-stream"
  const query = request.query?.size ? `?${request.query}` : ""
  let response: Response
  try {
    response = await fetch(`${connection.endpoint}${request.path}${query}`, {
      method: request.method,
      headers,
      body: request.bytes ?? (request.body === undefined ? undefined : JSON.stringify(request.body)),
      signal: request.signal,
      // A redirect could carry the token elsewhere.
      redirect: "manual",
      // Turns and streams may be silent for long.
      timeout: false,
    })
  } catch (error) {
    if (request.signal?.aborted) throw error
    throw cannotConnect(connection.endpoint, error)
  }
  if (!response.ok) throw await errorOfResponse(response, connection)
  return response
}

/** The JSON of an answer. */
export function parseAnswer<T>(text: string, url: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw new SandboxAgentError("stream_error", `${url} answered what is not JSON: ${text.slice(0, 60)}`, {
      hint: strangerHint,
    })
  }
}

/** One request whose answer is JSON. */
export async function callJson<T>(connection: Connection, request: Call): Promise<T> {
  const response = await call(connection, request)
  return parseAnswer<T>(await textOf(response, request), response.url)
}
