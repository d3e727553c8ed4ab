import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { OnInstallProgress } from "../../core/programs.ts"
import { assertRoomForStream, heartbeat, open, sseResponse } from "../http/sse.ts"

const encoder = new TextEncoder()
const frame = (event: object): Uint8Array => encoder.encode(`data: ${JSON.stringify(event)}\n\n`)

type Run = (onProgress: OnInstallProgress) => Promise<object>

/**
 * An install as it goes, then its end. A client that leaves does not stop it: others may have joined, and the next
 * session needs it all the same.
 */
export function installStream(run: Run, requestId: string, signal: AbortSignal, heartbeatMs: number): Response {
  assertRoomForStream()
  return sseResponse(follow(run, requestId, signal, heartbeatMs))
}

async function* follow(
  run: Run,
  requestId: string,
  signal: AbortSignal,
  heartbeatMs: number,
): AsyncGenerator<Uint8Array> {
  // Only the newest state matters to a slow reader, so there is nothing to queue.
  let latest: object | undefined
  let ended: object | undefined
  let quiet = false
  let wake = () => {}
  void outcomeOf(
    run((progress) => {
      latest = { type: "install.progress", ...progress }
      wake()
    }),
    requestId,
  ).then((event) => {
    ended = event
    wake()
  })
  const timer = setInterval(() => {
    quiet = true
    wake()
  }, heartbeatMs)
  signal.addEventListener("abort", () => wake(), { once: true })
  open.streams++
  try {
    while (ended === undefined && !signal.aborted) {
      if (latest === undefined && !quiet)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      const event = latest
      latest = undefined
      if (event !== undefined) yield frame(event)
      else if (quiet && ended === undefined) yield heartbeat
      quiet = false
    }
    if (ended !== undefined) yield frame(ended)
  } finally {
    clearInterval(timer)
    open.streams--
  }
}

const outcomeOf = (running: Promise<object>, requestId: string): Promise<object> =>
  running.then(
    (result) => ({ type: "install.done", ...result }),
    (error: unknown) => {
      const known = SandboxAgentError.is(error) ? error : new SandboxAgentError("internal", "the install failed")
      return { ...known.toProblem(requestId), problem: known.toProblem(requestId).type, type: "error" }
    },
  )
