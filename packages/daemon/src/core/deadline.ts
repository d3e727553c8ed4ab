import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"

/** How long the core waits for an agent. One value per daemon, so that a test can be short of patience. */
export interface Deadlines {
  readonly openMs: number
  readonly takenMs: number
  readonly answerMs: number
  readonly configureMs: number
  readonly interruptMs: number
  /** Polite end and SIGTERM of a driver's process together. */
  readonly closeMs: number
  readonly attachmentFetchMs: number
}

export const deadlines: Deadlines = {
  openMs: limits.openMs,
  takenMs: limits.takenMs,
  answerMs: limits.answerMs,
  configureMs: limits.configureMs,
  interruptMs: limits.interruptMs,
  closeMs: limits.closeMs + limits.terminateMs + 500,
  attachmentFetchMs: limits.attachmentFetchMs,
}

/** A promise of an agent, bounded: agents hang, the core does not. */
export async function withDeadline<T>(promise: Promise<T>, ms: number, detail: string): Promise<T> {
  let timer: Timer | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SandboxAgentError("timeout", `${detail} within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
