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
  const before = readRegistryFile(path)
  const others = before.filter(({ id }) => id !== entry.id)
  write(path, [...others, entry])
  return { replaced: others.length < before.length }
}

/** `false`: there was none. */
export function removeEntry(path: string, id: string): boolean {
  const entries = readRegistryFile(path)
  const left = entries.filter((entry) => entry.id !== id)
  if (left.length === entries.length) return false
  write(path, left)
  return true
}

function write(path: string, agents: readonly RegistryEntry[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const fresh = `${path}.${process.pid}.new`
  // Made anew: what somebody put there is not written to.
  rmSync(fresh, { recursive: true, force: true })
  writeFileSync(fresh, `${JSON.stringify({ version: "1.0.0", agents }, null, 2)}\n`, { mode: 0o600, flag: "wx" })
  renameSync(fresh, path)
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
