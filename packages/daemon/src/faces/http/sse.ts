import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { offsetAfter } from "../../store/damage.ts"
import type { Log } from "../../store/log.ts"
import { inFlight } from "./in-flight.ts"
import { type Followed, Reading, type Source } from "./reading.ts"
import { type Kind, turns } from "./turns.ts"

const encoder = new TextEncoder()
const hello = encoder.encode("retry: 1000\n\n")
export const heartbeat = encoder.encode(": keep-alive\n\n")

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
}

/** Streams open now, over all sessions. */
export const open = {
  streams: 0,
  /** Fewer where not so many files may be open. */
  most: limits.streams as number,
}

/** Streams leave a part of the files that may be open to everything else. */
export function limitStreams(openFiles: number): void {
  open.most = Math.max(1, Math.min(limits.streams, Math.floor(openFiles * limits.streamsShare)))
}

/** The end of a stream that cannot go on. Its id is the place to go on from: whoever comes back by itself passes the damage. */
function errorFrame(error: SandboxAgentError): Uint8Array {
  const offset = offsetAfter(error)
  const id = offset === undefined ? "" : `id: ${offset}\n`
  return encoder.encode(`${id}event: error\ndata: ${JSON.stringify(error.toProblem())}\n\n`)
}

/**
 * Replay, then live, by one cursor: no gap and no duplicate by construction. An async generator is asked for more only
 * when the socket has room, so a reader that stalls costs one slice of bytes and slows nobody.
 */
export async function* follow<L extends Followed>(source: Source<L>): AsyncGenerator<Uint8Array> {
  const { log, stalled } = source
  const { signal } = source.request
  const reading = new Reading(source)
  let kind: Kind = "behind"
  let held = 0
  let quiet = false
  let resume: (() => void) | undefined
  const wake = () => resume?.()
  // One timer per reader, not per wait: a busy log wakes its readers a thousand times a second.
  const timer = setInterval(() => {
    quiet = resume !== undefined
    wake()
  }, stalled.heartbeatMs)
  signal.addEventListener("abort", wake, { once: true })
  log.readers++
  open.streams++
  const watched = stalled.watch(source.request)
  try {
    yield source.after === undefined ? hello : encoder.encode(`retry: 1000\nid: ${source.after}\n\n`)
    while (!signal.aborted && !watched.stalled) {
      // Retention overtook this reader: it comes back with its cursor and gets `gone`.
      if (reading.isOvertaken) return
      const turn = reading.hasMore ? turns.wait(kind) : undefined
      if (turn !== undefined) await turn
      let size: number | undefined
      try {
        size = signal.aborted ? undefined : reading.read(inFlight.slice)
      } catch (error) {
        if (!SandboxAgentError.is(error)) throw error
        yield errorFrame(error)
        return
      } finally {
        turns.gave(kind, size)
      }
      kind = "behind"
      if (size !== undefined) {
        if (size > 0) {
          held = size
          inFlight.bytes += held
          watched.given += held
          yield reading.handOver()
          inFlight.bytes -= held
          held = 0
        }
        if (reading.ended) return
        continue
      }
      if (log.closed || signal.aborted) return
      quiet = false
      watched.hasAll = true
      await new Promise<void>((resolve) => {
        resume = resolve
        log.waiting.add(wake)
      })
      resume = undefined
      watched.hasAll = false
      kind = "fresh"
      if (quiet) {
        watched.given += heartbeat.length
        yield heartbeat
      }
    }
    await watched.cut()
  } finally {
    clearInterval(timer)
    log.waiting.delete(wake)
    signal.removeEventListener("abort", wake)
    stalled.forget(watched)
    reading.close()
    inFlight.bytes -= held
    log.readers--
    open.streams--
  }
}

export function sseResponse(frames: AsyncGenerator<Uint8Array>): Response {
  return new Response(frames as unknown as ReadableStream, { headers })
}

export function assertRoomForStream(): void {
  if (open.streams >= open.most)
    throw new SandboxAgentError("too_many_requests", `${open.most} streams are open already`, { limit: open.most })
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
  return assertCursor(log, cursor, given ? "Last-Event-ID" : "offset")
}

export function assertCursor(log: Log, cursor: number, named = "offset"): number {
  if (cursor > log.last)
    throw new SandboxAgentError("invalid_request", `${named} ${cursor} is beyond the end of the log`, {
      lastSequence: log.last,
    })
  if (cursor < log.first - 1)
    throw new SandboxAgentError("gone", `events up to ${log.first - 1} are no longer kept`, {
      firstSequence: log.first,
    })
  return cursor
}
