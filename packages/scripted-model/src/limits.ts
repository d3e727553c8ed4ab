/** Every bound of the endpoint. */
export const LIMITS = {
  /** A request body beyond this is refused with 413. */
  bodyBytes: 64 * 1024 * 1024,
  /** Recorded requests kept; the oldest go first. */
  recordedRequests: 10_000,
  /** Threads that Amp has uploaded; the oldest go first. */
  threads: 1_000,
  /** How long `waitFor` waits when nothing else is said. */
  waitForMs: 10_000,
}
