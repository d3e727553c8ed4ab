import { Database } from "bun:sqlite"
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Issue, issuesOf } from "@sandbox-agent/schema/issues"
import { parseOfClient } from "@sandbox-agent/schema/json-depth"
import { jsonErrorPosition } from "@sandbox-agent/schema/json-position"
import { limits } from "@sandbox-agent/schema/limits"
import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import { readRegularNow } from "../files/regular-now.ts"

/** Where `agents add` keeps what was added. */
export const addedFile = (dataDir: string): string => join(dataDir, "agents.json")

const bad = (detail: string): SandboxAgentError =>
  new SandboxAgentError("invalid_request", detail, { hint: "see `sandbox-agent help agents add`" })

/** Most daemons have no such file and never need them. */
const schemas = () =>
  require("@sandbox-agent/schema/registry-schemas") as typeof import("@sandbox-agent/schema/registry-schemas")

/** The entries of a file in the registry's format; none where there is no such file. */
export function readRegistryFile(path: string): RegistryEntry[] {
  if (!existsSync(path)) return []
  const parsed = schemas().RegistryFileSchema.safeParse(
    parsedJson(readRegularNow(path, limits.settingsFileBytes), path),
  )
  if (parsed.success) return parsed.data.agents
  throw bad(`${path}: ${issueText(issuesOf(parsed.error))}`)
}

/** One entry as text: of the registry, or its file with exactly one. */
export function parseEntry(text: string, where: string): RegistryEntry {
  const parsed = schemas().RegistryEntrySchema.safeParse(parsedJson(text, where))
  if (parsed.success) return parsed.data
  throw bad(`${where}: ${issueText(issuesOf(parsed.error))}`)
}

/** In the place of one with the same id, which is told. The whole file comes at once: a daemon may be reading it. */
export function addEntry(path: string, entry: RegistryEntry): { replaced: boolean } {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return alone(path, () => {
    const before = readRegistryFile(path)
    const others = before.filter(({ id }) => id !== entry.id)
    write(path, [...others, entry])
    return { replaced: others.length < before.length }
  })
}

/** `false`: there was none. */
export function removeEntry(path: string, id: string): boolean {
  if (!existsSync(path)) return false
  return alone(path, () => {
    const entries = readRegistryFile(path)
    const left = entries.filter((entry) => entry.id !== id)
    if (left.length === entries.length) return false
    write(path, left)
    return true
  })
}

/** As long as another may take that is at it. */
const waitMs = 10_000

/** One after the other: who has read what another changes would write it back. A killed one leaves no lock behind. */
function alone<T>(path: string, change: () => T): T {
  const lock = new Database(`${path}.lock`, { create: true })
  try {
    lock.run(`PRAGMA busy_timeout = ${waitMs}`)
    // Nothing is ever written: a lock must not need room on the disk.
    lock.run("PRAGMA journal_mode = MEMORY")
    lock.run("BEGIN EXCLUSIVE")
    return change()
  } finally {
    lock.close()
  }
}

function write(path: string, agents: readonly RegistryEntry[]): void {
  const fresh = `${path}.new`
  // Made anew: what somebody put there is not written to.
  rmSync(fresh, { recursive: true, force: true })
  try {
    writeFileSync(fresh, `${JSON.stringify({ version: "1.0.0", agents }, null, 2)}\n`, { mode: 0o600, flag: "wx" })
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

function parsedJson(text: string, where: string): unknown {
  try {
    return parseOfClient(text)
  } catch (error) {
    const place = jsonErrorPosition(text)
    throw bad(
      place
        ? `${where}, line ${place.line}, column ${place.column}: not JSON: ${place.reason}`
        : `${where}: not JSON (${String(error)})`,
    )
  }
}

const issueText = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => `${path.map(String).join(".") || "entry"}: ${message}`).join("; ")
