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
    const timer = setTimeout(done, ms)
    if (signal.aborted) return done()
    signal.addEventListener("abort", done)
    target.addEventListener?.("online", done)
  })
}
