import { homedir } from "node:os"
import type { Credentials } from "../core/driver.ts"
import type { MissingLogin } from "../core/programs.ts"
import { nativeAgent } from "../drivers/table.ts"
import { nativeVariables } from "../registry/variables.ts"
import { isAmong } from "../supervisor/environment.ts"
import type { Environment } from "./credential.ts"
import { discover } from "./discover.ts"
import { missingLogin } from "./missing-login.ts"

export interface Login {
  credentials: Credentials
  /** Variables that only the user's own configuration of the agent names: it needs them as much as those we know of. */
  env: Record<string, string>
  /** What is missing, where it is certain that the agent cannot do without. */
  missing?: MissingLogin
}

/** Whether an agent with a driver of its own can reach a model from this machine; in a directory, with what is configured there. */
export function nativeLogin(
  agent: string,
  env: Environment = process.env,
  directory?: string,
  program?: string,
): Login {
  const home = env.HOME || homedir()
  const { available, credentials, looked, needs, unsure } = discover(agent, env, home, directory)
  const known = nativeVariables(agent)
  const named = credentials.flatMap(({ source }) => ("env" in source && !isAmong(source.env, known) ? source.env : []))
  const found = Object.fromEntries(named.map((name) => [name, env[name] ?? ""]))
  if (available) return { credentials: "available", env: found }
  if (unsure !== undefined) return { credentials: "unknown", env: found }
  const ways = nativeAgent(agent)?.credentials
  const own = { variable: needs ?? ways?.variable, login: ways?.login, program }
  const missing = missingLogin(agent, looked, own, home)
  return { credentials: "missing", env: found, missing }
}
