import { shellQuoted } from "@sandbox-agent/schema/shell-word"
import { Store } from "../store.ts"

/** One request that the page made. */
export interface LoggedRequest {
  id: number
  method: string
  url: string
  /** Milliseconds since 1970. */
  at: number
  headers: Record<string, string>
  body?: string
  status?: number
  /** Until the head of the answer came. */
  ms?: number
  type?: string
  bytes?: number
  error?: string
}

/** The last ones; older ones are forgotten. */
const kept = 500
const bodyChars = 20_000

export const httpLog = new Store<readonly LoggedRequest[]>([])
let last = 0

const change = (id: number, more: Partial<LoggedRequest>): void =>
  httpLog.update((all) => all.map((one) => (one.id === id ? { ...one, ...more } : one)))

export async function loggedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const id = ++last
  const begun = performance.now()
  const headers = Object.fromEntries(new Headers(init.headers))
  // The token is in no entry: what is looked at may be copied.
  if (headers.authorization !== undefined) headers.authorization = "Bearer $SANDBOX_AGENT_TOKEN"
  const body = typeof init.body === "string" ? init.body.slice(0, bodyChars) : init.body ? "(bytes)" : undefined
  const entry = { id, method: init.method ?? "GET", url, at: Date.now(), headers, ...(body !== undefined && { body }) }
  httpLog.update((all) => [...all.slice(1 - kept), entry])
  try {
    const response = await fetch(url, init)
    const length = Number(response.headers.get("content-length") ?? Number.NaN)
    change(id, {
      status: response.status,
      ms: performance.now() - begun,
      type: response.headers.get("content-type")?.split(";")[0] ?? "",
      ...(Number.isNaN(length) ? {} : { bytes: length }),
    })
    return response
  } catch (error) {
    change(id, { error: error instanceof Error ? error.message : String(error), ms: performance.now() - begun })
    throw error
  }
}

/** The request as a line for a shell, with the token by its name. */
export function curlOf({ method, url, headers, body }: LoggedRequest): string {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${shellQuoted(url)}`]
  if (headers.accept === "text/event-stream") lines[0] = (lines[0] ?? "").replace("curl ", "curl -N ")
  for (const [name, value] of Object.entries(headers)) {
    // Double quotes, so that the shell puts the token in.
    if (name === "authorization") lines.push(`-H "authorization: ${value}"`)
    else lines.push(`-H ${shellQuoted(`${name}: ${value}`)}`)
  }
  if (body !== undefined && body !== "(bytes)") lines.push(`--data-raw ${shellQuoted(body)}`)
  if (body === "(bytes)") lines.push("--data-binary @FILE")
  return lines.join(" \\\n  ")
}
