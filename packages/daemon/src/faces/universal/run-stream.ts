import type { Logger } from "../../core/context.ts"
import type { Piece, RunStream } from "../../host/processes/run-stream.ts"
import { asError } from "../http/problem.ts"
import { assertRoomForStream, heartbeat, open, sseResponse } from "../http/sse.ts"
import type { StalledReaders } from "../http/stalled-readers.ts"

interface Reader {
  request: Request
  requestId: string
  stalled: StalledReaders
  log: Logger
}

const encoder = new TextEncoder()

/** What a program writes, as an event of a stream. */
export function logFrame({ sequence, stream, timestampMs, bytes }: Piece): Uint8Array {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")
  return encoder.encode(
    `event: log\nid: ${sequence}\ndata: {"sequence":${sequence},"stream":"${stream}","timestampMs":${timestampMs},"data":"${data}","encoding":"base64"}\n\n`,
  )
}

export const eventFrame = (event: string, data: object): Uint8Array =>
  encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

/** A program that cannot be started is a problem answer, before the stream begins. */
export async function runResponse(run: RunStream, reader: Reader): Promise<Response> {
  assertRoomForStream()
  await Promise.race([run.started, run.ended])
  return sseResponse(frames(run, reader))
}

async function* frames(run: RunStream, { request, requestId, stalled, log }: Reader): AsyncGenerator<Uint8Array> {
  open.streams++
  const watched = stalled.watch(request)
  const give = (frame: Uint8Array): Uint8Array => {
    watched.given += frame.length
    return frame
  }
  try {
    while (!request.signal.aborted && !watched.stalled) {
      watched.hasAll = true
      const piece = await run.next(stalled.heartbeatMs)
      watched.hasAll = false
      if (piece === "over") break
      yield give(piece === "quiet" ? heartbeat : logFrame(piece))
    }
    await watched.cut()
    if (!request.signal.aborted) yield give(await lastFrame(run, requestId, log))
  } finally {
    run.leave()
    stalled.forget(watched)
    open.streams--
  }
}

async function lastFrame(run: RunStream, requestId: string, log: Logger): Promise<Uint8Array> {
  try {
    return eventFrame("exit", await run.ended)
  } catch (thrown) {
    return eventFrame(
      "error",
      asError(thrown, (inside) => log("error", "a run failed", { requestId, error: String(inside) })).toProblem(
        requestId,
      ),
    )
  }
}
