import type { Context } from "./context.ts"

/** Counts and last error of the processes of one agent, shown by `/v1/agents`. */
export interface AgentStats {
  restarts: number
  /** Sessions whose agent is being started, and sessions whose agent is open. */
  starting: number
  open: number
  /** The last process did not start or ended badly, and none has opened since. */
  failed: boolean
  lastError?: string
}

export function agentStatsOf({ agentStats }: Pick<Context, "agentStats">, agent: string): AgentStats {
  const known = agentStats.get(agent)
  if (known !== undefined) return known
  const fresh: AgentStats = { restarts: 0, starting: 0, open: 0, failed: false }
  agentStats.set(agent, fresh)
  return fresh
}

export function recordFailure(stats: AgentStats, message: string): void {
  stats.failed = true
  stats.lastError = message
}

/** A process that is there and has not answered yet is `starting`, unless others of the same agent have. */
export function agentStatusOf(stats: AgentStats, alive: boolean): "stopped" | "starting" | "running" | "failed" {
  if (stats.starting > 0 && stats.open === 0) return "starting"
  if (alive) return "running"
  return stats.failed ? "failed" : "stopped"
}
