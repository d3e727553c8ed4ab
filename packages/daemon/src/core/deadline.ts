import { SandboxAgentError } from "@sandbox-agent/schema/error"

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
