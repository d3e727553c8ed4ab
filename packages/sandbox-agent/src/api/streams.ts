import type { ServerEvent } from "acp-http-client"
import { SandboxAgentError } from "../errors.ts"
import type { Query } from "../http/address.ts"
import { EventStream, type StreamState } from "../http/event-stream.ts"
import type { Http } from "../http/http.ts"

export interface StreamOptions {
  /** Ends the stream: what is awaited rejects with `kind: "aborted"`. */
  signal?: AbortSignal
  /** Opened and broken connections, for a status line. */
  onState?: (state: StreamState) => void
}

/** @internal */
export interface StreamCall {
  what: string
  method?: "GET" | "POST"
  path: string
  query?: Query
  json?: unknown
}

/** @internal */
export function parsed<T>(what: string, { data }: ServerEvent): T {
  try {
    return JSON.parse(data) as T
  } catch (error) {
    throw new SandboxAgentError("protocol", `${what}: an event is not JSON`, error)
  }
}

/** @internal A stream that ends with its subject and cannot be taken up again: of an install, a run, a search. */
export function endingStream<T>(
  http: Http,
  call: StreamCall,
  isLast: (value: T) => boolean,
  { signal, onState }: StreamOptions,
  read: (event: ServerEvent) => T = (event) => parsed<T>(call.what, event),
): EventStream<T> {
  return new EventStream<T>({
    what: call.what,
    http,
    signal,
    onState,
    open: (opening) =>
      http.open({
        ...call,
        method: call.method ?? "GET",
        headers: { accept: "text/event-stream" },
        signal: opening.signal,
        timeoutMs: call.method === "POST" ? http.limits.workMs : http.limits.openMs,
      }),
    read,
    isLast,
  })
}

/** @internal A stream that goes on until it is left, or to its last event, taken up again by `Last-Event-ID`. */
export function endlessStream<T>(
  http: Http,
  call: StreamCall,
  { signal, onState }: StreamOptions,
  begin?: string,
  read: (event: ServerEvent) => T | undefined = (event) => parsed<T>(call.what, event),
  isLast?: (value: T) => boolean,
): EventStream<T> {
  return new EventStream<T>(
    {
      isLast,
      what: call.what,
      http,
      signal,
      onState,
      open: ({ cursor, signal: stop, first }) =>
        http.open({
          ...call,
          method: "GET",
          headers: { accept: "text/event-stream", ...(cursor === undefined ? {} : { "last-event-id": cursor }) },
          signal: stop,
          timeoutMs: http.limits.openMs,
          safe: first,
        }),
      read,
      cursor: ({ id }) => id,
    },
    begin,
  )
}

/** @internal The log of a session behind a sequence. It has no gaps and no event twice, whatever happens to connections. */
export function sequenceStream<T extends { sequence: number }>(
  http: Http,
  call: StreamCall,
  options: StreamOptions,
  offset: number,
): EventStream<T> {
  let last = offset
  return endlessStream<T>(http, call, options, String(offset), (event) => {
    const value = parsed<T>(call.what, event)
    if (value.sequence <= last) return undefined
    if (value.sequence !== last + 1)
      throw new SandboxAgentError("protocol", `${call.what}: ${value.sequence} came after ${last}`)
    last = value.sequence
    return value
  })
}
