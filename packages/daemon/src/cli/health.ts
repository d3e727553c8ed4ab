/** Whether a daemon answers at an address. */
export async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(2_000), redirect: "manual" })
    const answer = (await response.json()) as { status?: unknown }
    return response.ok && answer.status === "ok"
  } catch {
    return false
  }
}

export const healthWaitMs = 15_000
const pollMs = 50

/** Asks again and again until there is an answer or the time is up. */
export async function poll<T>(ms: number, ask: () => T | undefined | Promise<T | undefined>): Promise<T | undefined> {
  const until = performance.now() + ms
  for (;;) {
    const answer = await ask()
    if (answer !== undefined || performance.now() > until) return answer
    await Bun.sleep(pollMs)
  }
}
