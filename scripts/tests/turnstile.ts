import { availableParallelism } from "node:os"
import { openTurnstile, turnstileVariable } from "../../packages/conformance/src/turnstile.ts"

/** Scenarios with an agent that are played at once in a whole run: they wait about as much as they work. */
const places = 3 * availableParallelism()

/** Begins before the first worker, which has the variable from here. */
export default async function setup(): Promise<() => Promise<void>> {
  const turnstile = await openTurnstile(places)
  process.env[turnstileVariable] = turnstile.path
  return () => turnstile.close()
}
