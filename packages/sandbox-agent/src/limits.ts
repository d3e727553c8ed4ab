/** Every bound of the client. Each can be set with the option `limits`. */
export interface Limits {
  /** Until an answer that needs nothing but the daemon. A call can name another with `timeoutMs`. */
  requestMs: number
  /** Until an answer that may wait for an agent: creating, resuming, forking, cancelling, installing, running a program. */
  workMs: number
  /** Until a stream opens. */
  openMs: number
  /** Without a byte on an open stream, where the daemon sends one every 15 seconds, or on the line of a terminal, which is asked for one. */
  stallMs: number
  /** Attempts of what can be asked twice: reading, and sending a message. */
  attempts: number
  /** Failed attempts in a row until an open stream is given up. Counted, not timed: a sleeping tab makes none. */
  reconnectAttempts: number
  /** First and longest pause between attempts. */
  pauseMinMs: number
  pauseMaxMs: number
  /** Characters of one event. */
  eventChars: number
  /** Characters kept of the body of a refusal. */
  errorBodyChars: number
  /** Events of a page of a transcript's past. */
  transcriptPage: number
  /** Characters kept of each output of a run: its beginning and its end. */
  outputChars: number
  /** Bytes of a terminal that a listener has not done with before it is given the screen in place of what follows. */
  terminalBytes: number
  /** Bytes typed into a terminal while there is no line to it. */
  terminalInputBytes: number
  /** Until a provider has made a sandbox, or found one; an image may have to be pulled. */
  sandboxStartMs: number
  /** Until the daemon is in a sandbox that has none. */
  sandboxInstallMs: number
  /** Until the daemon of a sandbox answers, and how long each look may take. */
  sandboxReadyMs: number
  sandboxLookMs: number
  /** Until a sandbox is removed. */
  sandboxRemoveMs: number
  /** Characters kept of what a program in a sandbox, or the provider, wrote; for messages of errors. */
  sandboxOutputChars: number
}

export const defaultLimits: Readonly<Limits> = {
  requestMs: 60_000,
  workMs: 15 * 60_000,
  openMs: 30_000,
  stallMs: 45_000,
  attempts: 4,
  reconnectAttempts: 20,
  pauseMinMs: 200,
  pauseMaxMs: 15_000,
  eventChars: 64 * 1024 * 1024,
  errorBodyChars: 64 * 1024,
  transcriptPage: 1000,
  outputChars: 1024 * 1024,
  terminalBytes: 4 * 1024 * 1024,
  terminalInputBytes: 1024 * 1024,
  sandboxStartMs: 5 * 60_000,
  sandboxInstallMs: 5 * 60_000,
  sandboxReadyMs: 60_000,
  sandboxLookMs: 5_000,
  sandboxRemoveMs: 60_000,
  sandboxOutputChars: 2_000,
}
