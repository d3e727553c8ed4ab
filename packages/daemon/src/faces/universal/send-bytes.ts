import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { StalledReaders } from "../http/stalled-readers.ts"

/**
 * Asked for more only when the socket has room. When it breaks off, so does the connection: less than was promised must
 * not look like the end. Who leaves before the first byte ends it as well: a generator that was never begun has no end.
 */
export function sendBytes(
  bytes: AsyncIterable<Uint8Array>,
  request: Request,
  stalled: StalledReaders,
  end: () => Promise<void>,
): ReadableStream {
  const leave = () => void end()
  request.signal.addEventListener("abort", leave, { once: true })
  // Gone already: nobody would tell us again.
  if (request.signal.aborted) throw nobody()
  const chunks = (async function* () {
    const watched = stalled.watch(request)
    try {
      for await (const chunk of bytes) {
        await watched.cut()
        if (request.signal.aborted) throw nobody()
        watched.given += chunk.length
        yield chunk
      }
    } finally {
      request.signal.removeEventListener("abort", leave)
      stalled.forget(watched)
      await end()
    }
  })()
  return chunks as unknown as ReadableStream
}

const nobody = () => new SandboxAgentError("stream_error", "nobody takes the answer")
