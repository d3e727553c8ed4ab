import { homedir } from "node:os"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { nativeAgent, nativeAgents } from "../drivers/table.ts"
import type { Discovery, Environment } from "./credential.ts"

export const agentsWithCredentials: readonly string[] = nativeAgents.flatMap(({ id, credentials }) =>
  credentials === undefined ? [] : [id],
)

/** What this machine already has for an agent. Reads files, runs nothing, changes nothing. */
export function discover(
  agent: string,
  env: Environment = process.env,
  home: string = env.HOME || homedir(),
  directory?: string,
): Discovery {
  const known = nativeAgent(agent)?.credentials
  if (!known) throw new SandboxAgentError("unsupported_agent", `no credentials are known for ${agent}`, { agent })
  return known.discover({ env, home, directory, platform: process.platform })
}

/** What this machine already has for each of them. */
export function discoverAll(env: Environment = process.env, home?: string): Discovery[] {
  return agentsWithCredentials.map((agent) => discover(agent, env, home))
}
