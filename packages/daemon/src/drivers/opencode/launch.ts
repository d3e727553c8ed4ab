import type { Host, OpenOptions } from "../../core/driver.ts"
import { type Launcher, programIdentity, sharingKey, sortedVariables } from "../shared/launcher.ts"
import { skillsFolder } from "../shared/skills-folder.ts"
import { configContent, permissionContent } from "./config.ts"
import { credentialFingerprint } from "./fingerprint.ts"
import { homeOf, homeVariables } from "./home.ts"
import type { Project } from "./project.ts"
import type { Fences } from "./rules.ts"

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

export async function launchFor(
  launcher: Launcher,
  wanted: Wanted,
  host: Host,
  fences: Fences,
  project: Project,
): Promise<Launch> {
  const { env: given, settings } = wanted
  const home = homeOf(wanted.from, given, host)
  const skills = await skillsFolder(settings.skills, wanted.directory, host)
  const plain: Record<string, string> = {
    // The version is chosen by whoever installed it.
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    ...launcher.env,
    ...given,
    ...homeVariables(home, given),
    ...project.env,
  }
  const known = host.environment(plain)
  const env = {
    ...plain,
    OPENCODE_CONFIG_CONTENT: configContent(known, settings.mcp, skills, fences, project.config),
    OPENCODE_PERMISSION: permissionContent(known),
  }
  const key = sharingKey([
    programIdentity(launcher.command),
    home,
    await credentialFingerprint(home, host),
    sortedVariables(host.environment(env)),
    // Plugins of a project act within the server: no session that asks shares it.
    project.free,
  ])
  return { key, command: launcher.command, env, home, ...(skills !== undefined && { skills }) }
}
