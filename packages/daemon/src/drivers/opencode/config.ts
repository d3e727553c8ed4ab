import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Mcp } from "@sandbox-agent/schema/session"
import { type Json, list, record } from "../shared/json.ts"
import { merged } from "./merged.ts"
import type { Config } from "./native.ts"
import { explorePermission, type Fences, serverPermission } from "./rules.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** The user's own configuration in a variable, with ours laid over it; their files are never touched. */
export function configContent(
  env: Environment,
  mcp: Mcp | undefined,
  skills: string | undefined,
  fences: Fences = {},
  project: Json = {},
): string {
  const ours: Config = {
    // Else a refused permission or question would end the turn; the model is to go on without.
    experimental: { continue_loop_on_deny: true },
    agent: merged(
      merged(record(project.agent), {
        explore: { permission: explorePermission },
        general: { permission: { todowrite: "deny" } },
      }),
      fences,
    ),
    ...(mcp !== undefined && { mcp: mcpServers(mcp) }),
  }
  const own = parsed(env, "OPENCODE_CONFIG_CONTENT")
  // As they stand behind those of a project in OpenCode's own layers.
  const theirs = merged(project, own)
  const paths = [...list(record(project.skills).paths), ...list(record(own.skills).paths), skills].filter(Boolean)
  const instructions = [...list(own.instructions), ...list(project.instructions)]
  const listed = {
    ...(paths.length > 0 && { skills: { ...record(own.skills), paths } }),
    ...(instructions.length > 0 && { instructions }),
  }
  return JSON.stringify(merged(theirs, { ...ours, ...listed }))
}

/** Applies to sub-agents too, which take over none of what a session asks for. */
export const permissionContent = (env: Environment): string =>
  JSON.stringify(merged(parsed(env, "OPENCODE_PERMISSION"), serverPermission))

function parsed(env: Environment, name: string): Json {
  const text = env[name]
  if (!text) return {}
  try {
    return record(Bun.JSONC.parse(text))
  } catch (error) {
    throw new SandboxAgentError("invalid_request", `${name} is not JSON: ${String(error)}`)
  }
}

const waiting = ({ timeoutMs }: { timeoutMs?: number | undefined }) =>
  timeoutMs === undefined ? {} : { timeout: timeoutMs }

function mcpServers(mcp: Mcp): NonNullable<Config["mcp"]> {
  return Object.fromEntries(
    Object.entries(mcp).map(([name, server]) => [
      name,
      "url" in server
        ? {
            type: "remote" as const,
            url: server.url,
            enabled: true,
            ...(server.headers && { headers: server.headers }),
            ...waiting(server),
          }
        : {
            type: "local" as const,
            command: [server.command, ...(server.args ?? [])],
            enabled: true,
            ...(server.env && { environment: server.env }),
            ...waiting(server),
          },
    ]),
  )
}
