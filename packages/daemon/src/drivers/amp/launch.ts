import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Mcp } from "@sandbox-agent/schema/session"
import type { Host, OpenOptions } from "../../core/driver.ts"
import { sessionFolder } from "../shared/native-home.ts"
import { skillsFolder } from "../shared/skills-folder.ts"
import { effortOf, nativeMode } from "./capabilities.ts"
import { settingsWith, userSettings } from "./settings.ts"

/** One process for many messages; it reads them from stdin until that ends. */
export const protocolFlags = [
  "--execute",
  "--stream-json",
  "--stream-json-input",
  "--stream-json-thinking",
  ...["--no-ide", "--no-notifications", "--no-color"],
]

export interface Launch {
  flags: string[]
  /** Removes what holds secrets, once it was read. */
  forget(): void
}

/** `thread`: the one to go on with. */
export async function launchOf(
  options: OpenOptions,
  thread: string | undefined,
  delegate: string,
  env: Readonly<Record<string, string>>,
  host: Host,
): Promise<Launch> {
  const { settings, directory, sessionId } = options
  const skills = await skillsFolder(settings.skills, directory, host)
  const content = settingsWith(await userSettings(host.environment(env), host), delegate, skills)
  const folder = sessionFolder(sessionId, host)
  const files = { settings: join(folder, "settings.json"), mcp: join(folder, "mcp.json") }
  const write = (file: string, value: object) => host.asAgent(() => writeSecret(folder, file, value))
  write(files.settings, content)
  const flags = [
    ...(thread === undefined ? [] : ["threads", "continue", thread]),
    ...protocolFlags,
    ...["--mode", nativeMode(settings.agentMode)],
    ...["--settings-file", files.settings],
  ]
  const effort = effortOf(settings.variant)
  if (effort !== undefined) flags.push("--effort", effort)
  // Beside the servers the user has configured, not in their place.
  if (settings.mcp !== undefined) {
    write(files.mcp, mcpConfig(settings.mcp))
    flags.push("--mcp-config", files.mcp)
  }
  return { flags, forget: () => host.asAgent(() => rmSync(files.mcp, { force: true })) }
}

/** A file, because arguments can be read by everyone on the machine and these hold secrets. */
function writeSecret(folder: string, file: string, value: object): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Made anew: what somebody put there is not written to.
  rmSync(file, { recursive: true, force: true })
  writeFileSync(file, JSON.stringify(value), { mode: 0o600, flag: "wx" })
}

const mcpConfig = (mcp: Mcp): object =>
  Object.fromEntries(
    Object.entries(mcp).map(([name, server]) => {
      if (!("url" in server)) return [name, server]
      const { type, url, headers } = server
      return [name, { url, ...(headers && { headers }), ...(type === "sse" && { transport: "sse" }) }]
    }),
  )

/** Our switches, then what the program needs to run, then what the session was given. */
export const environment = (
  given: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> => ({ AMP_SKIP_UPDATE_CHECK: "1", ...own, ...given })
