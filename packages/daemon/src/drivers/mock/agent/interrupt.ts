/** Thrown inside a turn that was interrupted. */
export class Interrupted extends Error {}

/** Waits for a promise, or throws `Interrupted` as soon as the signal says so. */
export function interruptible<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Interrupted())
    if (signal.aborted) return stop()
    signal.addEventListener("abort", stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })
}

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  return interruptible(promise, signal).finally(() => clearTimeout(timer))
}

/** Lets the event loop read stdin, where an interrupt may wait. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
