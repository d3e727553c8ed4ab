import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Release } from "../../store/shared-pages.ts"
import { whenGone } from "./gone.ts"
import { inFlight } from "./in-flight.ts"
import { roomFor, uniqueName } from "./pages-in-progress.ts"
import { type Pieces, Slices } from "./slices.ts"
import type { StalledReaders } from "./stalled-readers.ts"
import { turns } from "./turns.ts"

/** Long answers that clients are taking now. */
export const answering = { answers: 0 }

export interface Answering {
  request: Request
  /** Cuts off a client that takes nothing. */
  stalled: StalledReaders
  headers?: Record<string, string>
  status?: number
}

/**
 * An answer of any length. A short one is given at once; of a longer one a client gets a slice when it has taken the one
 * before, in turn with all others who read what is past: one that takes nothing costs a slice.
 */
export function answerOf<At>(
  pieces: Pieces<At>,
  { request, stalled, headers, status }: Answering,
  done?: Release,
): Response {
  const slices = new Slices(pieces)
  const head: Uint8Array[] = []
  try {
    for (let size = 0; size <= limits.smallAnswerBytes; ) {
      const slice = slices.read(limits.smallAnswerBytes)
      if (slice === undefined) {
        done?.()
        return new Response(Buffer.concat(head), { status, headers })
      }
      head.push(slice)
      size += slice.length
    }
    if (answering.answers >= limits.answers)
      throw new SandboxAgentError("unavailable", `${limits.answers} long answers are being taken already`, {
        limit: limits.answers,
        retryAfterSeconds: 1,
      })
  } catch (error) {
    slices.close()
    done?.()
    throw error
  }
  const end = once(() => {
    slices.close()
    done?.()
  })
  // Also of one that left before anything was asked of its answer.
  whenGone(request, end)
  const body = give(Buffer.concat(head), slices, request, stalled, end)
  return new Response(body as unknown as ReadableStream, { status, headers })
}

async function* give<At>(
  head: Uint8Array,
  slices: Slices<At>,
  request: Request,
  stalled: StalledReaders,
  end: () => void,
): AsyncGenerator<Uint8Array> {
  const watched = stalled.watch(request)
  answering.answers++
  let held = 0
  let slice: Uint8Array | undefined = head
  try {
    while (slice !== undefined && !request.signal.aborted && !watched.stalled) {
      held = slice.length
      inFlight.bytes += held
      watched.given += held
      yield slice
      inFlight.bytes -= held
      held = 0
      const turn = turns.wait("behind")
      if (turn !== undefined) await turn
      slice = undefined
      try {
        if (!request.signal.aborted) slice = slices.read(inFlight.slice)
      } finally {
        turns.gave("behind", slice?.length)
      }
    }
    await watched.cut()
  } finally {
    inFlight.bytes -= held
    answering.answers--
    stalled.forget(watched)
    end()
  }
}

/** One that was made whole and cannot be made again: it counts from now on until its client has it. */
export function wholeAnswer(text: string, answering: Answering): Response {
  const { status, headers } = answering
  // At most three bytes for each unit of a string.
  if (text.length * 3 <= limits.smallAnswerBytes) return new Response(text, { status, headers })
  const bytes = Buffer.from(text)
  if (bytes.length <= limits.smallAnswerBytes) return new Response(bytes, { status, headers })
  const pieces = onePiece(uniqueName(), () => bytes)
  return answerOf(pieces, answering, roomFor(pieces, bytes.length))
}

/** All of it, read again where that has to be. */
export const onePiece = (name: string, read: () => Uint8Array): Pieces<"all" | "end"> => ({
  start: "all",
  nameOf: (at) => `${name} ${at}`,
  next: (at) => (at === "end" ? undefined : { bytes: read(), at: "end" }),
})

function once(run: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    run()
  }
}
