import type { Host, OpenOptions } from "../../core/driver.ts"
import type { Launcher } from "../shared/launcher.ts"
import type { AcpAgent } from "./agent.ts"
import { gemini } from "./project-gemini.ts"
import { qwenCode } from "./project-qwen.ts"

/** How an agent is kept from what a repository brings for it. */
export interface Distrust {
  /** In words, for the log: what the repository would have in force. */
  brings(place: Place): Promise<string[]>
  /** Variables that keep the program from it. */
  env(brings: boolean, environment: Environment, host: Host): Promise<Record<string, string>>
  /** One that is given to a session says that its directory is trusted. */
  trustedBy?: string
  /** What is left out with it. */
  more: string
}

export type Environment = Readonly<Record<string, string>>

export interface Place {
  directory: string
  environment: Environment
  reach: Host["reach"]
}

/** What is in a repository for the agent, and whether the program is kept from it. */
export interface Project {
  /** It was started so that all of it is in force, as only `bypass` may have it. */
  free: boolean
  env: Environment
  /** Told in the log. */
  leftOut?: string
}

const ways: Readonly<Record<NonNullable<AcpAgent["traits"]["distrusts"]>, Distrust>> = { gemini, "qwen-code": qwenCode }

/**
 * Settings of a repository could run programs and allow tools that nobody is asked for. Outside of `bypass` the program
 * is started as in a folder that its user does not trust.
 */
export async function projectOf(
  { traits }: AcpAgent,
  launcher: Launcher,
  { directory, settings, env }: Pick<OpenOptions, "directory" | "settings" | "env">,
  host: Host,
): Promise<Project> {
  const way = traits.distrusts && ways[traits.distrusts]
  if (way === undefined || (way.trustedBy !== undefined && env[way.trustedBy] === "true"))
    return { free: false, env: {} }
  const environment = host.environment(launcher.env)
  const brings = await way.brings({ directory, environment, reach: host.reach })
  const any = brings.length > 0
  if (any && settings.permissionMode === "bypass") return { free: true, env: {} }
  const leftOut = `outside of permission mode bypass these are left out: ${brings.join("; ")}${way.more}`
  return { free: false, env: await way.env(any, environment, host), ...(any && { leftOut }) }
}

/** For a process that only tells something of a directory: nothing that the repository brings is in force. */
export async function distrusting(agent: AcpAgent, launcher: Launcher, host: Host): Promise<Launcher> {
  const way = agent.traits.distrusts && ways[agent.traits.distrusts]
  if (way === undefined) return launcher
  return withVariables(launcher, await way.env(true, host.environment(launcher.env), host))
}

export const withVariables = ({ command, env }: Launcher, more: Environment): Launcher => ({
  command,
  env: { ...env, ...more },
})
