import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Intervals } from "@sandbox-agent/schema/intervals"
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
  readonly heldMs: number
}

export const deadlinesOf = ({ openMs, takenMs, answerMs, configureMs, interruptMs }: Intervals): Deadlines => ({
  openMs,
  takenMs,
  answerMs,
  configureMs,
  interruptMs,
  closeMs: limits.closeMs + limits.terminateMs + 500,
  attachmentFetchMs: limits.attachmentFetchMs,
  heldMs: limits.heldMs,
})

/** A promise of an agent, until nobody wants it any more. Who cares for what comes late goes on with the promise itself. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  const given = Promise.withResolvers<never>()
  const giveUp = () => given.reject(new SandboxAgentError("agent_process_exited", "the opening was given up"))
  if (signal.aborted) giveUp()
  signal.addEventListener("abort", giveUp, { once: true })
  try {
    return await Promise.race([promise, given.promise])
  } finally {
    signal.removeEventListener("abort", giveUp)
  }
}

/** A promise of an agent, bounded: agents hang, the core does not. `more` is asked when it is too late. */
export async function withDeadline<T>(
  promise: Promise<T>,
  ms: number,
  detail: string,
  more: () => string = () => "",
): Promise<T> {
  let timer: Timer | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SandboxAgentError("timeout", `${detail} within ${ms} ms${more()}`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
