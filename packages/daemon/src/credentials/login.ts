import type { Credentials } from "../core/driver.ts"
import { nativeVariables } from "../registry/variables.ts"
import { isAmong } from "../supervisor/environment.ts"
import type { Environment } from "./credential.ts"
import { discover } from "./discover.ts"

export interface Login {
  credentials: Credentials
  /** Variables that only the user's own configuration of the agent names: it needs them as much as those we know of. */
  env: Record<string, string>
}

/** Whether an agent with a driver of its own can reach a model from this machine. */
export function nativeLogin(agent: string, env: Environment = process.env): Login {
  const { available, credentials } = discover(agent, env)
  const known = nativeVariables(agent)
  const named = credentials.flatMap(({ source }) => ("env" in source && !isAmong(source.env, known) ? source.env : []))
  return {
    credentials: available ? "available" : "missing",
    env: Object.fromEntries(named.map((name) => [name, env[name] ?? ""])),
  }
}
