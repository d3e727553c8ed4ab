import { statSync } from "node:fs"
import type { Host, OpenOptions } from "../../core/driver.ts"
import { configContent, permissionContent } from "./config.ts"
import { credentialFingerprint } from "./fingerprint.ts"
import { homeOf, homeVariables } from "./home.ts"
import type { Fences } from "./rules.ts"
import { skillsFolder } from "./skills.ts"

/** What starts the program, before any flag of ours. */
export interface Launcher {
  command: readonly string[]
  env: Readonly<Record<string, string>>
}

/** How a server has to be started for a session; sessions with the same key share one. */
export interface Launch {
  readonly key: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Where its sessions are kept. */
  readonly home: string
  /** Folder of the skills given at create. */
  readonly skills?: string
}

type Wanted = Pick<OpenOptions, "from" | "directory" | "env"> & {
  settings: Pick<OpenOptions["settings"], "mcp" | "skills">
}

export async function launchFor(launcher: Launcher, wanted: Wanted, host: Host, fences: Fences = {}): Promise<Launch> {
  const { env: given, settings } = wanted
  const home = homeOf(wanted.from, given, host)
  const skills = await skillsFolder(settings.skills, wanted.directory, host)
  const plain: Record<string, string> = {
    // The version is chosen by whoever installed it.
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    ...launcher.env,
    ...given,
    ...homeVariables(home, given),
  }
  const known = host.environment(plain)
  const env = {
    ...plain,
    OPENCODE_CONFIG_CONTENT: configContent(known, settings.mcp, skills, fences),
    OPENCODE_PERMISSION: permissionContent(known),
  }
  const key = hashOf([
    ...identityOf(launcher.command),
    home,
    await credentialFingerprint(home, host),
    ...variables(host.environment(env)),
  ])
  return { key, command: launcher.command, env, home, ...(skills !== undefined && { skills }) }
}

/** The program as it is on disk: another version is another server. */
function identityOf(command: readonly string[]): string[] {
  const found = statSync(command[0] ?? "", { throwIfNoEntry: false })
  return [...command, String(found?.size), String(found?.mtimeMs)]
}

const variables = (env: Readonly<Record<string, string>>): string[] =>
  Object.entries(env)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flat()

/** Keys and secrets are in it; only their hash is kept. */
const hashOf = (words: readonly string[]): string =>
  new Bun.CryptoHasher("sha256").update(words.join("\0")).digest("hex").slice(0, 24)
