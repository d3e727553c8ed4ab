import type { Flag } from "./flag.ts"
import { findFlag, looksLikeFlag } from "./parse.ts"

/** `--help` and `--version` work everywhere, before anything else is checked; values of other flags are passed over. */
export function specialRequest(argv: readonly string[], flags: readonly Flag[]): "help" | "version" | undefined {
  const hasFlag = (name: string): boolean => flags.some((f) => f.name === name)
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? ""
    if (word === "--") return undefined
    if (word === "--help" || word === "-h") return "help"
    if (word === "-V" || (word === "--version" && !hasFlag("version"))) return "version"
    if (!looksLikeFlag(word) || word.includes("=")) continue
    const found = findFlag(word.replace(/^--?/, ""), flags)
    const next = argv[i + 1]
    if (found && found.flag.type !== "boolean" && next !== undefined && !looksLikeFlag(next)) i++
  }
  return undefined
}
