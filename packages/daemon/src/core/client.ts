/** A process that one of our agents is, or started, directly or not. */
export interface AgentProcess {
  /** Undefined: it let go of its connection before it could be seen, and may have been one. */
  readonly pid: number | undefined
  /** The name of its program. */
  readonly program?: string | undefined
  /** Whom the agent's process serves, such as `session:my-session`; unknown of one that got away from its agent. */
  readonly owner?: string | undefined
}

/** Whoever sent a request. */
export interface Client {
  /** The process of an agent that is behind it, if one is. Looked up when it is asked for, and not before. */
  agentProcess(): Promise<AgentProcess | undefined>
}
