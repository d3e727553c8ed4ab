/**
 * Calls this once the client of a request is gone. It may be gone already: a request can wait, for its body or for the
 * code that serves it, and a signal that has fired does not fire again for later listeners.
 */
export function whenGone({ signal }: Request, left: () => void): void {
  if (signal.aborted) left()
  else signal.addEventListener("abort", left, { once: true })
}
