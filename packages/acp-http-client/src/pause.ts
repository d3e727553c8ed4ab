import { AcpError } from "./errors.ts"
import { timerOf } from "./timer.ts"

/** Doubles from the first pause to the longest, with jitter so that many clients do not come back at once. */
export function backOff(attempt: number, minMs: number, maxMs: number): number {
  const full = Math.min(maxMs, minMs * 2 ** Math.min(attempt, 30))
  return full * (0.5 + Math.random() / 2)
}

/** Resolves early when the signal aborts, or when a browser says that the network is back. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const target: Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">> = globalThis
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", done)
      target.removeEventListener?.("online", done)
      resolve()
    }
    const timer = timerOf(done, ms)
    if (signal.aborted) return done()
    signal.addEventListener("abort", done)
    target.addEventListener?.("online", done)
  })
}

/** Waits, but not beyond the signal, and where a time is given, not longer. */
export function withSignal<T>(work: Promise<T> | undefined, signal: AbortSignal, ms?: number): Promise<T | undefined> {
  if (work === undefined) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new AcpError("aborted", "Aborted while waiting", signal.reason))
    if (signal.aborted) return onAbort()
    signal.addEventListener("abort", onAbort)
    const timer = ms === undefined ? undefined : timerOf(() => resolve(undefined), ms)
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener("abort", onAbort)
    })
  })
}
