import type { McpConfig, SkillsConfig } from "@sandbox-agent/schema/config"
import type { CreateSession, Mcp, Skill } from "@sandbox-agent/schema/session"
import type { ConfigRow } from "../../store/config-rows.ts"
import type { Context } from "../context.ts"
import type { Wanted } from "./applied.ts"
import { parsed } from "./entries.ts"
import { serverOf } from "./mcp-config.ts"
import { skillsOf } from "./skills-config.ts"

/** Adds what is configured for the directory; what create gives wins, by name. */
export async function applyConfig(
  context: Context,
  body: CreateSession,
  directory: string,
  rows: { mcp: readonly ConfigRow[]; skills: readonly ConfigRow[] },
): Promise<Wanted> {
  const mcp = configuredMcp(context, body, directory, rows.mcp)
  const skills = await configuredSkills(context, body, directory, rows.skills)
  const configured = Object.keys(mcp)
  if (configured.length === 0 && skills.length === 0) return body
  return {
    ...body,
    ...(configured.length > 0 && { mcp: { ...mcp, ...body.mcp }, configured }),
    ...(skills.length > 0 && { skills: [...skills, ...(body.skills ?? [])] }),
  }
}

const isFor = ({ agents }: { agents?: readonly string[] | null | undefined }, agent: string): boolean =>
  agents == null || agents.includes(agent)

function configuredMcp(context: Context, body: CreateSession, directory: string, rows: readonly ConfigRow[]): Mcp {
  const { agent, env = {}, mcp: given = {} } = body
  const variable = (name: string) => variableOf(context, agent, env, name)
  const mcp: Mcp = {}
  for (const { name, doc } of rows) {
    const config = parsed<McpConfig>("mcp", name, doc)
    if (config.enabled === false || !isFor(config, agent) || Object.hasOwn(given, name)) continue
    mcp[name] = serverOf(name, config, directory, variable)
  }
  return mcp
}

async function configuredSkills(
  context: Context,
  body: CreateSession,
  directory: string,
  rows: readonly ConfigRow[],
): Promise<Skill[]> {
  const given = new Set((body.skills ?? []).map(({ name }) => name))
  const found: Skill[] = []
  for (const { name, doc } of rows) {
    const config = parsed<SkillsConfig & { stamp: string }>("skills", name, doc)
    if (!isFor(config, body.agent)) continue
    found.push(...(await skillsOf(context, name, config, directory)).filter((skill) => !given.has(skill.name)))
  }
  return found
}

/**
 * Of the session, of what its agent sees, or of the daemon: whoever may write the config may do what the daemon may. Our
 * own settings are none of it, and agents that are another user's get nothing of the daemon's (docs/security.mdx).
 */
function variableOf(
  { supervisor, agentUser }: Context,
  agent: string,
  env: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  const seen = supervisor.environment(agent, env)[name]
  if (seen !== undefined) return seen
  return agentUser !== undefined || name.startsWith("SANDBOX_AGENT_") ? undefined : process.env[name]
}
