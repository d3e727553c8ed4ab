import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { type RegistryEntry, traitsOf } from "@sandbox-agent/schema/registry"
import { discover } from "../credentials/discover.ts"

/** Adapters log in as what they adapt. */
const adapted: Readonly<Record<string, string>> = { "claude-agent-acp": "claude", "codex-acp": "codex", "pi-acp": "pi" }

/** Whether this machine has what the agent logs in with, as far as can be told without running it. */
export function hasLogin(
  entry: RegistryEntry,
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const native = adapted[entry.id]
  if (native !== undefined) return discover(native, env).available
  const { login } = traitsOf(entry)
  // Of one that nobody knows it is taken on trust: a session tells.
  if (login === undefined) return true
  const home = env.HOME || homedir()
  return login.some(({ env: name, file }) => Boolean((name && env[name]) || (file && existsSync(join(home, file)))))
}
