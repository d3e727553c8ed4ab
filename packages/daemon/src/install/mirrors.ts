import { bases } from "./bases.ts"
import { mirrorVariable } from "./failure.ts"

/** Addresses that the environment puts in place of the vendors': `SANDBOX_AGENT_MIRROR_GITHUB=https://…`. */
export function mirrorsFrom(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found: Record<string, string> = {}
  for (const base of Object.keys(bases)) {
    const value = env[mirrorVariable(base)]
    if (value) found[base] = value
  }
  return found
}
