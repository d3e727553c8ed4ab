import { homedir } from "node:os"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { discoverAmp } from "./amp.ts"
import { discoverClaude } from "./claude.ts"
import { discoverCodex } from "./codex.ts"
import type { Discovery, Environment, Machine } from "./credential.ts"
import { discoverOpencode } from "./opencode.ts"
import { discoverPi } from "./pi.ts"

const finders: Readonly<Record<string, (machine: Machine) => Discovery>> = {
  claude: discoverClaude,
  codex: discoverCodex,
  opencode: discoverOpencode,
  amp: discoverAmp,
  pi: discoverPi,
}

export const agentsWithCredentials: readonly string[] = Object.keys(finders)

/** What this machine already has for an agent. Reads files, runs nothing, changes nothing. */
export function discover(
  agent: string,
  env: Environment = process.env,
  home: string = env.HOME || homedir(),
): Discovery {
  const find = Object.hasOwn(finders, agent) ? finders[agent] : undefined
  if (!find) throw new SandboxAgentError("unsupported_agent", `no credentials are known for ${agent}`, { agent })
  return find({ env, home })
}

export function discoverAll(env: Environment = process.env, home?: string): Discovery[] {
  return agentsWithCredentials.map((agent) => discover(agent, env, home))
}
