import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join, relative } from "node:path"
import type { Mcp } from "@sandbox-agent/schema/session"
import type { Host, OpenOptions } from "../../core/driver.ts"
import { type Json, record, text } from "../shared/json.ts"
import { sessionFolder } from "../shared/native-home.ts"
import { skillsFolder } from "../shared/skills-folder.ts"
import { effortOf, nativeMode } from "./capabilities.ts"
import { settingsWith, userSettings } from "./settings.ts"
import { skillServers, userSkills, workspaceSkills } from "./skill-servers.ts"

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
  /** What the repository brings and is not started. */
  leftOut: readonly string[]
  /** Removes what holds secrets, once it was read. */
  forget(): void
}

/** `thread`: the one to go on with. `trusted`: servers of the workspace that its user may have approved; without it, all start. */
export async function launchOf(
  options: OpenOptions,
  thread: string | undefined,
  delegate: string,
  env: Readonly<Record<string, string>>,
  trusted: readonly Json[] | undefined,
  host: Host,
): Promise<Launch> {
  const { settings, directory, sessionId } = options
  const skills = await skillsFolder(settings.skills, directory, host)
  const variables = host.environment(env)
  const user = await userSettings(variables, host)
  const mcp = settings.mcp && mcpConfig(settings.mcp)
  const servers =
    trusted && (await serversOf([...Object.values(mcp ?? {}), ...trusted], user, skills, options, variables, host))
  const content = settingsWith(user, delegate, skills, servers)
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
  if (mcp !== undefined) {
    write(files.mcp, mcp)
    flags.push("--mcp-config", files.mcp)
  }
  const leftOut = servers?.brought.map(({ name, file }) => `MCP server ${name} of ${relative(directory, file)}`)
  return { flags, leftOut: leftOut ?? [], forget: () => host.asAgent(() => rmSync(files.mcp, { force: true })) }
}

/** MCP servers that somebody asked for, and those that the skills of the repository bring. */
async function serversOf(
  given: readonly Json[],
  user: Json,
  skills: string | undefined,
  { directory }: OpenOptions,
  { HOME = homedir() }: Readonly<Record<string, string>>,
  { reach }: Host,
) {
  const paths = text(user["amp.skills.path"])?.split(":") ?? []
  const theirs = [...userSkills(HOME), ...paths, ...(skills === undefined ? [] : [skills])]
  const known = await skillServers(theirs, reach)
  const brought = await skillServers(
    workspaceSkills(directory).filter((folder) => !theirs.includes(folder)),
    reach,
  )
  const configured = Object.values(record(user["amp.mcpServers"]))
  return { known: [...configured.map(record), ...given, ...known.map(({ spec }) => spec)], brought }
}

/** A file, because arguments can be read by everyone on the machine and these hold secrets. */
function writeSecret(folder: string, file: string, value: object): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Made anew: what somebody put there is not written to.
  rmSync(file, { recursive: true, force: true })
  writeFileSync(file, JSON.stringify(value), { mode: 0o600, flag: "wx" })
}

const mcpConfig = (mcp: Mcp): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(mcp).map(([name, server]) => {
      if (!("url" in server)) return [name, { ...server }]
      const { type, url, headers } = server
      return [name, { url, ...(headers && { headers }), ...(type === "sse" && { transport: "sse" }) }]
    }),
  )

/** Our switches, then what the program needs to run, then what the session was given. */
export const environment = (
  given: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> => ({ AMP_SKIP_UPDATE_CHECK: "1", ...own, ...given })
