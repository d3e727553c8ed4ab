import type { BaseName } from "./entry.ts"
import { mirrorVariable } from "./failure.ts"
import { bases } from "./table.ts"

/** Addresses that the environment puts in place of the vendors': `SANDBOX_AGENT_MIRROR_GITHUB=https://…`. */
export function mirrorsFrom(env: Readonly<Record<string, string | undefined>>): Partial<Record<BaseName, string>> {
  const found: Partial<Record<BaseName, string>> = {}
  for (const base of Object.keys(bases) as BaseName[]) {
    const value = env[mirrorVariable(base)]
    if (value) found[base] = value
  }
  return found
}
