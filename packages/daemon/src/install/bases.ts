import { nativeAgents } from "../drivers/table.ts"
import type { Bases } from "./entry.ts"

/** Vendors' own addresses by name; each can be replaced by a mirror. The registry's is known to the package manager alone. */
export const bases: Bases = {
  github: "https://github.com",
  githubApi: "https://api.github.com",
  ...Object.fromEntries(
    nativeAgents.flatMap(({ install }) => {
      const { base, address } = install?.vendor ?? {}
      return base !== undefined && address !== undefined ? [[base, address]] : []
    }),
  ),
}
