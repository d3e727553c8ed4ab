import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Context } from "./context.ts"
import { assertDirectory } from "./directory.ts"
import type { Driver } from "./driver.ts"
import type { Session } from "./session.ts"

/** The agent has nothing to log in with. In a turn this is `authentication_failed`, as where the agent says so itself. */
export class LoginMissing extends SandboxAgentError {}

/** Before an install for a session: what could not log in is not fetched. */
export async function assertLoginIn(
  context: Context,
  driver: Driver,
  { directory = context.defaultDirectory, env = {} }: { directory?: string | undefined; env?: Record<string, string> },
): Promise<void> {
  await assertDirectory("directory", directory, context)
  const missing = await driver.programs.missingLogin?.(env, directory)
  if (missing !== undefined)
    throw new LoginMissing("unavailable", missing.detail, { agent: driver.agent, hint: missing.hint })
}

/** Said before the agent starts: most begin without a login and fail in words of their own, or try for minutes. */
export async function assertLogin({ record, secrets }: Session, driver: Driver): Promise<void> {
  const missing = await driver.programs.missingLogin?.(secrets.env ?? {}, record.directory)
  if (missing === undefined) return
  throw new LoginMissing("unavailable", missing.detail, { agent: record.agent, hint: missing.hint })
}
