import { opencodeLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Host } from "../../core/driver.ts"
import { carriedConfig } from "./project-config.ts"
import { projectFiles } from "./project-files.ts"

/** What the server of a session may have of the project that it works in. */
export interface Project {
  /** Programs and commands of the project are in force. */
  free: boolean
  /** Variables that keep it from reading anything of the project. */
  env: Readonly<Record<string, string>>
  /** What of the project does no harm, for our part of the configuration. */
  config: Readonly<Record<string, unknown>>
  /** What the log says of that. */
  leftOut?: string
}

/** Nothing there that runs by itself: OpenCode reads it as it always does. */
export const ordinary: Project = { free: false, env: {}, config: {} }

/** Nothing of any project is read. */
export const closed: Project = {
  ...ordinary,
  env: {
    OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    // The first does not hold for skills in folders of other agents, whose shell lines run when they are a command.
    OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
    OPENCODE_DISABLE_CLAUDE_CODE_SKILLS: "1",
  },
}

/** The first version that is known to know these variables. */
const CLOSES = "1.2.1"

export interface Wanted {
  directory: string
  bypass: boolean
  /** The variables that OpenCode sees. */
  env: Readonly<Record<string, string | undefined>>
  version: () => Promise<string | undefined>
}

/**
 * OpenCode trusts every project: plugins, tools, MCP servers, formatters and providers of its configuration run when a
 * session is made there, and shell lines of a command when somebody calls it. Outside `bypass` a project that brings any
 * of that is served by a server that reads nothing of it, and is given what does no harm; one with plugins is refused,
 * for nothing keeps OpenCode from them.
 */
export async function projectOf(wanted: Wanted, { reach }: Pick<Host, "reach">): Promise<Project> {
  const { env, directory, bypass } = wanted
  if (isSet(env.OPENCODE_DISABLE_PROJECT_CONFIG) && isSet(env.OPENCODE_DISABLE_EXTERNAL_SKILLS)) return ordinary
  const files = await projectFiles(directory, env.HOME ?? "", reach)
  const { powers, unstoppable } = files
  if (powers.length + unstoppable.length === 0) return ordinary
  if (bypass) return { ...ordinary, free: true }
  if (unstoppable.length > 0) throw refused("OpenCode", unstoppable, directory, "Remove it from there")
  await assertCloses(wanted, powers)
  const { config, tooLong } = await carriedConfig(directory, env.HOME ?? "", files)
  const more = tooLong ? ["agents, commands and configuration beside them, which are too long"] : []
  const leftOut = `outside of permission mode bypass these are left out: ${named([...powers, ...more])}`
  return { ...closed, config, leftOut }
}

/** Older versions would read it all the same. */
async function assertCloses({ version, directory }: Wanted, powers: readonly string[]): Promise<void> {
  const known = await version()
  if (known !== undefined && Bun.semver.order(known, CLOSES) >= 0) return
  const program = `OpenCode ${known ?? "of an unknown version"}`
  throw refused(program, powers, directory, `Install version ${CLOSES} or a newer one`)
}

const refused = (program: string, powers: readonly string[], directory: string, cure: string): SandboxAgentError =>
  new SandboxAgentError(
    "permission_denied",
    `${directory} has ${named(powers)}: ${program} would run that, and nobody is asked`,
    { agent: "opencode", hint: `${cure}, or choose permission mode bypass.` },
  )

function named(powers: readonly string[]): string {
  const some = powers.slice(0, opencodeLimits.namedPowers)
  return [...some, ...(some.length < powers.length ? [`${powers.length - some.length} more`] : [])].join("; ")
}

const isSet = (value: string | undefined): boolean => value === "1" || value?.toLowerCase() === "true"
