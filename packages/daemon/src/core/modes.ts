import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { catalogOf } from "./agent-queries.ts"
import type { Context } from "./context.ts"
import type { Driver } from "./driver.ts"

/** Refuses a mode that the agent does not have; one that only a session can know is refused when it is opened. */
export async function assertMode(context: Context, driver: Driver, mode: string | undefined): Promise<void> {
  if (isDefault(mode) || driver.modesOfSession) return
  const { modes } = await catalogOf(context, driver)
  if (modes.some(({ id }) => id === mode)) return
  throw new SandboxAgentError("mode_not_supported", `agent ${driver.agent} has no mode ${JSON.stringify(mode)}`, {
    agent: driver.agent,
    modes: modes.map(({ id }) => id),
  })
}

/** `build` means the agent's default and is always accepted. */
const isDefault = (mode: string | undefined): boolean => mode === undefined || mode === "build"
