import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Log } from "../../store/log.ts"
import type { LogReader } from "../../store/reader.ts"

const encoder = new TextEncoder()
const hello = encoder.encode("retry: 1000\n\n")
const heartbeat = encoder.encode(": keep-alive\n\n")

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
}

/** Streams open now, over all sessions. */
export const open = { streams: 0 }

export interface Source {
  log: Log
  reader: LogReader
  cursor: number
  signal: AbortSignal
  /** Turns a run of stored frames into what this reader gets; `end` after its last frame. */
  transform?(run: { first: number; last: number; bytes: Uint8Array }): { bytes: Uint8Array | undefined; end: boolean }
}

/**
 * Replay, then live, by one cursor: no gap and no duplicate by construction. An async generator is asked for more only
 * when the socket has room, so a reader that stalls costs one run of bytes and slows nobody.
 */
export async function* follow(source: Source): AsyncGenerator<Uint8Array> {
  const { log, reader, signal, transform } = source
  let { cursor } = source
  let quiet = false
  let resume: (() => void) | undefined
  const wake = () => resume?.()
  // One timer per reader, not per wait: a busy log wakes its readers a thousand times a second.
  const timer = setInterval(() => {
    quiet = resume !== undefined
    wake()
  }, limits.heartbeatMs)
  signal.addEventListener("abort", wake, { once: true })
  log.readers++
  open.streams++
  try {
    yield hello
    while (!signal.aborted) {
      // Retention overtook this reader: it comes back with its cursor and is told `gone`.
      if (cursor < log.first - 1) return
      const run = reader.next(log, cursor)
      if (run !== undefined) {
        cursor = run.last
        const out = transform === undefined ? { bytes: run.bytes, end: false } : transform(run)
        if (out.bytes !== undefined) yield out.bytes
        if (out.end) return
        continue
      }
      if (log.closed) return
      quiet = false
      await new Promise<void>((resolve) => {
        resume = resolve
        log.waiting.add(wake)
      })
      resume = undefined
      if (quiet) yield heartbeat
    }
  } finally {
    clearInterval(timer)
    log.waiting.delete(wake)
    signal.removeEventListener("abort", wake)
    log.readers--
    open.streams--
  }
}

export function sseResponse(frames: AsyncGenerator<Uint8Array>): Response {
  return new Response(frames as unknown as ReadableStream, { headers })
}

export function assertRoomForStream(): void {
  if (open.streams >= limits.streams)
    throw new SandboxAgentError("too_many_requests", `${limits.streams} streams are open already`, {
      limit: limits.streams,
    })
}

export function assertAcceptsSse(request: Request): void {
  const accept = request.headers.get("accept")
  if (accept !== null && !/text\/event-stream|text\/\*|\*\/\*/.test(accept))
    throw new SandboxAgentError("not_acceptable", "this answers text/event-stream")
}

/** Where to start: `Last-Event-ID` wins over `offset`; without either at `start`. */
export function cursorOf(request: Request, offset: number | undefined, log: Log, start: number): number {
  const given = request.headers.get("last-event-id")
  if (given !== null && given !== "" && !/^\d{1,15}$/.test(given))
    throw new SandboxAgentError("invalid_request", "Last-Event-ID: not a sequence of this log")
  const cursor = given ? Number(given) : offset
  if (cursor === undefined) return start
  return assertCursor(log, cursor)
}

export function assertCursor(log: Log, cursor: number): number {
  if (cursor > log.last)
    throw new SandboxAgentError("invalid_request", `offset ${cursor} is beyond the end of the log`, {
      lastSequence: log.last,
    })
  if (cursor < log.first - 1)
    throw new SandboxAgentError("gone", `events up to ${log.first - 1} are no longer kept`, {
      firstSequence: log.first,
    })
  return cursor
}
