import { pause } from "acp-http-client"
import { SandboxAgentError } from "../errors.ts"
import { elapsedMs } from "../http/elapsed.ts"
import { httpOf } from "../options.ts"
import type { SandboxAddress, SandboxStart } from "./sandbox.ts"

const betweenLooksMs = 100
/** Until it is first asked whether the daemon has ended; each time after twice as long. */
const firstAskMs = 500

async function look(address: SandboxAddress, { limits, signal, fetch = address.fetch }: SandboxStart): Promise<void> {
  const http = httpOf({ ...address, fetch, limits: { ...limits, attempts: 1 } })
  const health = await http.json<{ status?: string }>({
    what: "Looking for the daemon",
    method: "GET",
    path: "/v1/health",
    timeoutMs: limits.sandboxLookMs,
    signal,
  })
  // A proxy in front of a sandbox has answers of its own.
  if (health.status !== "ok") throw new SandboxAgentError("protocol", "something else answers there")
}

/** Whether a daemon answers there now. */
export async function answers(address: SandboxAddress, start: SandboxStart): Promise<boolean> {
  try {
    await look(address, start)
    return true
  } catch (error) {
    if (start.signal?.aborted) throw error
    return false
  }
}

/** Resolves when the daemon answers; with why it does not when it has ended, or its time is over. */
export async function untilReady(
  address: SandboxAddress,
  start: SandboxStart,
  ended: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const { signal = new AbortController().signal, limits } = start
  const began = elapsedMs()
  let askAfter = firstAskMs
  for (;;) {
    try {
      await look(address, start)
      return undefined
    } catch (error) {
      if (signal.aborted) throw error
      const passed = elapsedMs() - began
      if (passed >= limits.sandboxReadyMs)
        return `did not answer within ${limits.sandboxReadyMs} ms (${(error as Error).message})`
      if (passed >= askAfter) {
        askAfter = 2 * passed
        const how = await ended()
        if (how !== undefined) return how
      }
    }
    await pause(betweenLooksMs, signal)
  }
}
