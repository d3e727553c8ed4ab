import type { BunLauncher } from "./npm.ts"

/**
 * Bun out of the words that start this program again: our executable is Bun with `BUN_BE_BUN=1`, and from source the
 * first word is Bun itself.
 */
export function bunLauncher(self: readonly string[]): BunLauncher {
  const [program = process.execPath] = self
  return { command: [program], env: { BUN_BE_BUN: "1" } }
}
