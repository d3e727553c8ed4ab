import type { Context } from "./context.ts"

/** How the processes of one agent have fared, for `/v1/agents`. */
export interface Fate {
  restarts: number
  /** Sessions whose agent is being started, and sessions whose agent is open. */
  starting: number
  open: number
  /** The last that was started or ran ended badly, and none has been well since. */
  failed: boolean
  lastError?: string
}

export function fateOf({ fates }: Pick<Context, "fates">, agent: string): Fate {
  const known = fates.get(agent)
  if (known !== undefined) return known
  const fresh: Fate = { restarts: 0, starting: 0, open: 0, failed: false }
  fates.set(agent, fresh)
  return fresh
}

export function failed(fate: Fate, message: string): void {
  fate.failed = true
  fate.lastError = message
}

/** A process that is there and has not answered yet is `starting`, unless others of the same agent have. */
export function statusOf(fate: Fate, alive: boolean): "stopped" | "starting" | "running" | "failed" {
  if (fate.starting > 0 && fate.open === 0) return "starting"
  if (alive) return "running"
  return fate.failed ? "failed" : "stopped"
}
