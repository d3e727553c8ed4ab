import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Call, call } from "./client.ts"
import type { Connection } from "./connection.ts"
import { cutOff } from "./cut-off.ts"
import { errorOfProblem, strangerHint } from "./problem.ts"
import { type SseFrame, sseFrames } from "./sse.ts"

/** Waits between attempts, in milliseconds; when they are used up without a frame in between, the stream is lost. */
export const reconnectDelays = [100, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000] as const

export interface FollowOptions {
  /** Connect again when the connection drops; only for streams that are read by GET. */
  readonly reconnect: boolean
  readonly delays?: readonly number[]
  readonly onDrop?: (attempt: number, error: unknown) => void
  /** The stream is there, or there again after a drop. */
  readonly onConnect?: (again: boolean) => void
}

/** The frames of a stream until it ends, taken up after the last id where the connection broke. */
export async function* follow(connection: Connection, request: Call, options: FollowOptions): AsyncGenerator<SseFrame> {
  const delays = options.reconnect ? (options.delays ?? reconnectDelays) : []
  let lastId = request.lastEventId ?? ""
  let retry: number | undefined
  let attempt = 0
  for (let connected = false; ; ) {
    try {
      const response = await call(connection, {
        ...request,
        accept: "text/event-stream",
        lastEventId: lastId || undefined,
      })
      if (!response.body || !/^text\/event-stream\b/.test(response.headers.get("content-type") ?? ""))
        throw await noStream(response)
      connected = true
      options.onConnect?.(attempt > 0)
      const onPlace = (id: string) => {
        lastId = id
      }
      for await (const frame of sseFrames(response.body, lastId, onPlace)) {
        attempt = 0
        lastId = frame.id
        retry = frame.retryMs
        if (frame.event === "error") throw errorOfProblem(frame.data)
        yield frame
      }
      return
    } catch (error) {
      // A first failure to connect, or an answer that says no, will not get better by asking again.
      const dropped = connected && (!SandboxAgentError.is(error) || error.code === "unavailable")
      if (!dropped || request.signal?.aborted) throw error
      const delay = delays[attempt]
      if (delay === undefined) throw SandboxAgentError.is(error) ? error : cutOff(error, request, lastId)
      options.onDrop?.(attempt, error)
      attempt++
      await Bun.sleep(Math.max(delay, retry ?? 0))
    }
  }
}

async function noStream(response: Response): Promise<SandboxAgentError> {
  await response.body?.cancel()
  const type = response.headers.get("content-type") ?? "no type"
  return new SandboxAgentError("stream_error", `${response.url} answered ${type}, not a stream of events`, {
    hint: strangerHint,
  })
}
