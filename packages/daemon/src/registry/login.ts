import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { type RegistryEntry, traitsOf } from "@sandbox-agent/schema/registry"
import { type Login, nativeLogin } from "../credentials/login.ts"
import { missingLogin } from "../credentials/missing-login.ts"
import { adapted } from "./builtin.ts"

/** Whether this machine has what the agent logs in with, as far as can be told without running it. */
export function entryLogin(
  entry: RegistryEntry,
  env: Readonly<Record<string, string | undefined>> = process.env,
  directory?: string,
  program?: string,
): Login {
  const native = adapted[entry.id]
  if (native !== undefined) return nativeLogin(native, env, directory)
  const { login, stability } = traitsOf(entry)
  // Nobody has said what it logs in with: only a session shows it.
  if (login === undefined) return { credentials: "unknown", env: {} }
  const home = env.HOME || homedir()
  const variables = login.flatMap(({ env: name }) => name ?? [])
  const files = login.flatMap(({ file }) => (file === undefined ? [] : join(home, file)))
  if (variables.some((name) => env[name]) || files.some((file) => existsSync(file)))
    return { credentials: "available", env: {} }
  const name = traitsOf(entry).binary ?? entry.id
  // They read these themselves, and may find a login there.
  const own = [".env", "settings.json"].map((file) => join(home, `.${name}`, file))
  if (own.some((file) => existsSync(file)) || (directory !== undefined && hasDotenv(directory, home)))
    return { credentials: "unknown", env: {} }
  // Of the others the entry may not know every way: they say themselves what they lack.
  if (stability !== "stable") return { credentials: "missing", env: {} }
  const ways = { variable: variables[0], login: `\`${name}\``, program }
  return { credentials: "missing", env: {}, missing: missingLogin(entry.id, { variables, files }, ways, home) }
}

/** In the directory of a session or above it, or in the home. */
function hasDotenv(directory: string, home: string): boolean {
  const above = dirname(directory)
  const here = [join(directory, ".env"), join(home, ".env")].some((file) => existsSync(file))
  return here || (above !== directory && hasDotenv(above, home))
}
