import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Acp } from "../acp.ts"
import type { Method } from "../method.ts"
import { initializeResult } from "../projection/capabilities.ts"
import { isRecord, oursIn } from "../projection/envelope.ts"
import { invalid } from "../projection/invalid.ts"
import { type Traits, traitsOf } from "../projection/traits.ts"

export interface Initialized {
  agent: string | undefined
  traits: Traits
  result: unknown
}

/** What a client says of itself, and what it is told. The agent may be named later, with a session. */
export function initialize(acp: Acp, params: unknown, query: string | undefined): Initialized {
  const { protocolVersion, clientCapabilities } = isRecord(params) ? params : {}
  if (!Number.isSafeInteger(protocolVersion) || Number(protocolVersion) < 0)
    return invalid("protocolVersion: a number is expected")
  const named = oursIn(params).agent
  if (named !== undefined && typeof named !== "string")
    return invalid('_meta["sandboxagent.dev"].agent: a string is expected')
  const agent = named ?? query
  const driver =
    (agent ?? acp.defaultAgent) === undefined
      ? undefined
      : acp.services.sessions.driver(agent ?? acp.defaultAgent ?? "")
  const known = driver && {
    id: driver.agent,
    capabilities: driver.capabilities,
    audio: driver.passthroughContent?.audio,
  }
  return { agent, traits: traitsOf(clientCapabilities), result: initializeResult(acp.services.version, known) }
}

/** Agents use the credentials of their machine; whoever may speak to the daemon has shown its token. */
export const authenticateMethod: Method = async ({ params }) => {
  const id = isRecord(params) ? params.methodId : undefined
  if (typeof id !== "string") return invalid("methodId: a string is expected")
  throw new SandboxAgentError(
    "invalid_request",
    `methodId: there is no way ${JSON.stringify(id.slice(0, 200))} to authenticate; none is offered, and none is needed`,
    { authMethods: [] },
  )
}

export const logoutMethod: Method = async () => {
  throw new SandboxAgentError("not_supported", "there is nobody logged in: the daemon keeps no credentials for clients")
}
