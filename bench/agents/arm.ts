/** One way to run agents: through the daemon, or alone. */
export interface Arm {
  /** Processes to count, with all they have started. */
  pids(): number[]
  /** The process that is there whether or not there are sessions. */
  host?: number
  /** Starts a session, has it answer, and resolves at the end of its turn. */
  answer(name: string): Promise<Answered>
  stop(): Promise<void>
}

/** Milliseconds since somebody asked for the session. */
export interface Answered {
  /** The agent can take a message. */
  ready: number
  /** The first piece of its answer is with the client. */
  first: number
  /** The last piece. */
  last: number
  /** Pieces of the answer. */
  deltas: number
}
