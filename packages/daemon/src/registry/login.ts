import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { type RegistryEntry, traitsOf } from "@sandbox-agent/schema/registry"
import { type Login, nativeLogin } from "../credentials/login.ts"
import { adapted } from "./builtin.ts"

/** Whether this machine has what the agent logs in with, as far as can be told without running it. */
export function entryLogin(
  entry: RegistryEntry,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Login {
  const native = adapted[entry.id]
  if (native !== undefined) return nativeLogin(native, env)
  const { login } = traitsOf(entry)
  // Nobody has said what it logs in with: only a session shows it.
  if (login === undefined) return { credentials: "unknown", env: {} }
  const home = env.HOME || homedir()
  const found = login.some(({ env: name, file }) =>
    Boolean((name && env[name]) || (file && existsSync(join(home, file)))),
  )
  return { credentials: found ? "available" : "missing", env: {} }
}
