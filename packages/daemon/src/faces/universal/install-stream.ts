import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { OnInstallProgress } from "../../core/programs.ts"
import { assertRoomForStream, sseResponse } from "../http/sse.ts"

const encoder = new TextEncoder()
const frame = (event: object): Uint8Array => encoder.encode(`data: ${JSON.stringify(event)}\n\n`)

/**
 * An install as it goes, then its end. A client that leaves does not stop it: others may have joined, and the next
 * session needs it all the same.
 */
export function installStream(run: (onProgress: OnInstallProgress) => Promise<object>, requestId: string): Response {
  assertRoomForStream()
  return sseResponse(follow(run, requestId))
}

async function* follow(
  run: (onProgress: OnInstallProgress) => Promise<object>,
  requestId: string,
): AsyncGenerator<Uint8Array> {
  // Only the newest state matters to a slow reader, so there is nothing to queue.
  let latest: object | undefined
  let wake = () => {}
  const tell = (event: object) => {
    latest = event
    wake()
  }
  const done = run((progress) => tell({ type: "install.progress", ...progress })).then(
    (result) => ({ type: "install.done", ...result }),
    (error: unknown) => {
      const known = SandboxAgentError.is(error) ? error : new SandboxAgentError("internal", "the install failed")
      return { ...known.toProblem(requestId), problem: known.toProblem(requestId).type, type: "error" }
    },
  )
  let ended: object | undefined
  void done.then((event) => {
    ended = event
    wake()
  })
  while (ended === undefined) {
    if (latest === undefined)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    const event = latest
    latest = undefined
    if (event !== undefined) yield frame(event)
  }
  yield frame(ended)
}
