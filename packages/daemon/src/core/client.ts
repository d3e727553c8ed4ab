/** A process that one of our agents is, or started, directly or not. */
export interface AgentProcess {
  readonly pid: number
  /** The name of its program. */
  readonly program: string | undefined
  /** Whom the agent's process serves, such as `session:my-session`; unknown of one that got away from its agent. */
  readonly owner: string | undefined
}
