import { SandboxAgentError } from "@sandbox-agent/schema/error"

/**
 * The body of a request as it comes; the client sends no faster than we take. One that stops half-way, or sends nothing
 * for too long, is an error and never an end.
 */
export async function* requestBytes(request: Request, stallMs: number): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader()
  if (reader === undefined) return
  const stalled = Promise.withResolvers<never>()
  // One timer for the whole of it: a fast upload has a thousand chunks a second.
  let moved = true
  const timer = setInterval(() => {
    if (!moved) stalled.reject(new SandboxAgentError("timeout", `the client sent nothing for ${stallMs} ms`))
    moved = false
  }, stallMs)
  stalled.promise.catch(() => undefined)
  let ended = false
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), stalled.promise])
      if (done) {
        ended = true
        return
      }
      moved = true
      yield value
      moved = true
    }
  } catch (error) {
    if (SandboxAgentError.is(error)) throw error
    throw new SandboxAgentError("invalid_request", "the body was cut off")
  } finally {
    clearInterval(timer)
    // What is not wanted is not read; one that broke has ended already, and says so again.
    if (!ended) reader.cancel().catch(() => undefined)
  }
}
