import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Answer } from "../harness/api.ts"
import { scratch, type TestDaemon } from "../harness/daemon.ts"

/** The config of one directory, as a client sees it. */
export function configOf({ api }: Pick<TestDaemon, "api">, directory: string) {
  const address = (kind: string, name?: string) => {
    const word = kind === "mcp" ? "mcpName" : "skillName"
    const query = new URLSearchParams({ directory, ...(name !== undefined && { [word]: name }) })
    return `/v1/config/${kind}?${query}`
  }
  const of = (kind: "mcp" | "skills") => ({
    get: (name?: string) => api.call("GET", address(kind, name)),
    put: (name: string, config: unknown) => api.call("PUT", address(kind, name), config),
    delete: (name: string) => api.call("DELETE", address(kind, name)),
  })
  return { mcp: of("mcp"), skills: of("skills") }
}

export const statusOf = ({ status }: Answer<unknown>): number => status

/** A folder below a new one. */
export function folder(...names: string[]): string {
  const made = join(scratch(), ...names)
  mkdirSync(made, { recursive: true })
  return made
}

export const skillText = (name: string, description = "Does it"): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nDo it.`
