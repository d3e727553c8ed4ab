import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Driver } from "./driver.ts"
import type { Session } from "./session.ts"

/** The agent has nothing to log in with. In a turn this is `authentication_failed`, as where the agent says so itself. */
export class LoginMissing extends SandboxAgentError {}

/** Said before the agent starts: most begin without a login and fail in words of their own, or try for minutes. */
export async function assertLogin({ record, secrets }: Session, driver: Driver): Promise<void> {
  const missing = await driver.programs.missingLogin?.(secrets.env ?? {}, record.directory)
  if (missing === undefined) return
  throw new LoginMissing("unavailable", missing.detail, { agent: record.agent, hint: missing.hint })
}
