import type { AgentEntry } from "./entry.ts"

/** Stands for the version of an entry that names none. */
export const unnamedVersion = "0.0.0"

/** Whether the program's own word for its version is the one wanted. Build notes after a `+` do not count. */
export function sameVersion(a: string, b: string): boolean {
  return withoutBuild(a) === withoutBuild(b)
}

/** Why our driver cannot speak to this version; nothing for one that it can, or that may. */
export function notSupported(entry: AgentEntry, version: string): string | undefined {
  const { supported, tested } = entry
  if (supported === undefined) return undefined
  const { from, below } = supported
  const outside = (from && isBefore(version, from)) || (below && !isBefore(version, below))
  if (!outside) return undefined
  const span = [from && `from ${from}`, below && `below ${below}`].filter(Boolean).join(" and ")
  return `${entry.agent} ${version} is not supported: this daemon can drive versions ${span}, and is tested with ${tested}`
}

/** By the three numbers: a pre-release counts as what it precedes. */
function isBefore(version: string, other: string): boolean {
  const [a, b] = [numbers(version), numbers(other)]
  const place = [0, 1, 2].find((i) => a[i] !== b[i])
  return place !== undefined && (a[place] ?? 0) < (b[place] ?? 0)
}

const numbers = (version: string): number[] => (/^\d+\.\d+\.\d+/.exec(version)?.[0] ?? "0.0.0").split(".").map(Number)

const withoutBuild = (version: string): string => version.split("+")[0] ?? version
