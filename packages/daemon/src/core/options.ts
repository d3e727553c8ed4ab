import { wantedVersion } from "@sandbox-agent/schema/exact-version"
import type { CreateSession } from "@sandbox-agent/schema/session"
import type { Context } from "./context.ts"
import { type Driver, NotSupported } from "./driver.ts"
import { assertMcp } from "./mcp-entries.ts"
import { assertSkills } from "./skills.ts"

/**
 * What can be known of a session's options before its agent runs, decided here for every agent: what it cannot take, and
 * entries that nobody could use. The rest the agent refuses when it is opened, and no session is left either (`creation.ts`).
 */
export async function assertTaken(
  driver: Driver,
  body: CreateSession,
  directory: string,
  place: Pick<Context, "files" | "agentUser"> & Partial<Pick<Context, "skillSources">>,
): Promise<void> {
  const { agent, takes } = driver
  const cannot = (option: string, what: string) =>
    new NotSupported(`agent ${agent} takes no ${what}`, { agent, option })
  if (body.agentVersion !== undefined && driver.programs.ensure === undefined)
    await assertVersion(driver, body.agentVersion)
  if (body.systemPrompt && takes.systemPrompt === false) throw cannot("systemPrompt", "system prompt")
  const { skills = [], mcp = {} } = body
  if (skills.length > 0 && takes.skills === false) throw cannot("skills", "skills")
  for (const server of Object.values(mcp)) {
    const transport = server.type ?? "stdio"
    if (takes.mcp?.includes(transport) === false) throw cannot("mcp", `MCP servers over ${transport}`)
    if (server.timeoutMs !== undefined && !takes.mcpTimeout) throw cannot("mcp", "timeoutMs of an MCP server")
  }
  driver.check?.(body)
  await assertSkills(skills, directory, place)
  await assertMcp(mcp, directory, body.env ?? {}, place)
}

/** An agent that is part of the daemon has one version. */
export async function assertVersion(driver: Driver, given: string): Promise<void> {
  const { agent } = driver
  const wanted = wantedVersion(agent, given)
  const { version } = await driver.programs.locate()
  if (wanted === undefined || version === wanted) return
  const hint = "Leave `agentVersion` out."
  throw new NotSupported(`agent ${agent} has no other version than ${version}`, { agent, option: "agentVersion", hint })
}
