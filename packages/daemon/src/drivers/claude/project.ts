import { join, relative } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Confinement } from "../../files/confinement.ts"
import { record } from "../shared/json.ts"
import { decides } from "../shared/place-of.ts"
import { foldersOf, projectText } from "../shared/project-files.ts"
import { writtenSettings } from "../shared/written-settings.ts"

/** The first version that was seen to take the switch; one that does not know it refuses to start. */
const IGNORES_TRUST = "2.1.325"

/** Nobody is to trust the folder, whatever was trusted before. */
const DISTRUST = "--ignore-persisted-trust"

/** Whether the program ended because it does not know the switch. */
export const refusesDistrust = (error: unknown): boolean =>
  SandboxAgentError.is(error) &&
  error.code === "agent_process_exited" &&
  JSON.stringify(error.context.stderr ?? "").includes(`unknown option '${DISTRUST}'`)

/** What is in a repository for Claude Code, and whether the program is kept from it. */
export interface Project {
  /** In words, for the log: what runs programs, grants rights or sets variables. */
  brings: readonly string[]
  /** It was started so that all of it is in force. */
  free: boolean
  flags: readonly string[]
  /** Told in the log. */
  leftOut?: string
}

/**
 * Settings of a repository could run programs and allow tools that nobody is asked for. Outside of `bypass` the program is
 * started as in a folder that its user does not trust: memory, skills, commands and agents of the project go on working.
 * Versions that have no such switch get nothing of a project that brings any of it.
 */
export async function projectOf(
  directory: string,
  { bypass, version, reach }: { bypass: boolean; version: string | undefined; reach: Confinement },
): Promise<Project> {
  const brings = await broughtBy(directory, reach)
  const any = brings.length > 0
  if (bypass && any) return { brings, free: true, flags: [] }
  const distrusts = version !== undefined && Bun.semver.order(version, IGNORES_TRUST) >= 0
  if (!distrusts && !any) return { brings, free: false, flags: [] }
  const flags = distrusts ? [DISTRUST] : ["--setting-sources", "user"]
  const more = distrusts ? "" : ", and with them CLAUDE.md, skills, commands and agents: this version has no other way"
  const leftOut = `outside of permission mode bypass these are left out: ${brings.join("; ")}${more}`
  return { brings, free: false, flags, ...(any && { leftOut }) }
}

const powers = [
  ...["hooks", "env", "statusLine", "fileSuggestion", "apiKeyHelper", "awsAuthRefresh", "awsCredentialExport"],
  ...["gcpAuthRefresh", "otelHeadersHelper", "proxyAuthHelper", "enabledPlugins", "extraKnownMarketplaces"],
  ...["enableAllProjectMcpServers", "enabledMcpjsonServers"],
]
const rights = ["allow", "additionalDirectories"]
const files = [join(".claude", "settings.json"), join(".claude", "settings.local.json"), ".mcp.json"]

/** As Claude Code looks for them: in all of these folders. */
async function broughtBy(directory: string, reach: Confinement): Promise<string[]> {
  const folders = await foldersOf(directory)
  const found = await Promise.all(
    folders.flatMap((folder) =>
      files.map(async (name) => {
        const file = join(folder, name)
        const what = powersOf(name, await projectText(file, reach))
        return what.length === 0 ? [] : [`${what.join(", ")} of ${relative(directory, file)}`]
      }),
    ),
  )
  return found.flat()
}

function powersOf(name: string, text: string | undefined): string[] {
  if (text === undefined) return []
  const settings = writtenSettings(text)
  if (settings === undefined) return ["what cannot be read"]
  if (name === ".mcp.json") return Object.keys(record(settings.mcpServers)).map((server) => `MCP server ${server}`)
  const permissions = record(settings.permissions)
  return [
    ...powers.filter((key) => settings[key] !== undefined),
    ...rights.filter((key) => permissions[key] !== undefined).map((key) => `permissions.${key}`),
  ]
}

/** Whether this file decides what Claude Code asks for. It reads it again when it changes. */
export function isProjectSettings(path: string, directory: string, home: string): Promise<boolean> {
  return decides(path, directory, {
    name: /\/\.claude\/settings(\.local)?\.json$|\/\.mcp\.json$/iu,
    files: async () => {
      const folders = await foldersOf(directory)
      return [join(home, "settings.json"), ...folders.flatMap((folder) => files.map((name) => join(folder, name)))]
    },
  })
}

/** What reads only passes anyway; a rule that asks for it would be asked for every file. */
const readers = /^(Read|Glob|Grep|LS|Skill|Task|Agent|TodoWrite|ToolSearch|AskUserQuestion)\b/

/** Rules that allow what is to be asked, as the program says that it has them. */
export function allowedRules(answer: unknown): string[] {
  const { sources } = record(answer)
  const all = (Array.isArray(sources) ? sources : []).map(record)
  // Those of an administrator are not ours to weaken.
  const given = all.filter(({ source }) =>
    ["userSettings", "projectSettings", "localSettings"].includes(String(source)),
  )
  const rules = given.flatMap(({ settings }) => record(record(settings).permissions).allow)
  return rules.filter((rule): rule is string => typeof rule === "string" && !readers.test(rule))
}
