import { backOff, pause } from "acp-http-client"
import type { Limits } from "../limits.ts"
import { isPassing } from "./http.ts"

/** Tried again after what passes, as patiently as a stream is. */
export async function patiently<T>(
  { reconnectAttempts, pauseMinMs, pauseMaxMs }: Limits,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures++)
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || !isPassing(error) || failures >= reconnectAttempts) throw error
      await pause(backOff(failures, pauseMinMs, pauseMaxMs), signal)
    }
}
