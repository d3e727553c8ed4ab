import type { AgentCapabilities, InitializeResponse } from "@agentclientprotocol/sdk"
import type { Capabilities } from "@sandbox-agent/schema/agent"
import { ours } from "./envelope.ts"

/** Requests of ours beside ACP's; all but the list are also taken as notifications. */
export const extensionRequests = {
  sessionDetach: "_sandboxagent/session/detach",
  sessionTerminate: "_sandboxagent/session/terminate",
  sessionListModels: "_sandboxagent/session/list_models",
  sessionSetMetadata: "_sandboxagent/session/set_metadata",
} as const

/** Notifications of ours to clients. */
export const extensionNotifications = {
  sessionEnded: "_sandboxagent/session/ended",
  agentUnparsed: "_sandboxagent/agent/unparsed",
  storeDamaged: "_sandboxagent/store/damaged",
} as const

const methods = { ...extensionRequests, ...extensionNotifications }
const extensions = {
  ...Object.fromEntries(Object.keys(methods).map((name) => [name, true])),
  sessionAgentMetadata: true,
  methods: Object.values(methods),
}

interface KnownAgent {
  id: string
  capabilities: Capabilities
  audio?: boolean
}

/** What the agent behind a connection can do; without an agent, what the daemon can with any. */
export function agentCapabilities(agent?: KnownAgent): AgentCapabilities {
  const can = (name: keyof Capabilities): boolean => agent?.capabilities[name] ?? true
  const mcp = can("mcpTools")
  // `fork` is not in the stable schema yet; clients look for it here.
  const sessionCapabilities = { list: {}, resume: {}, close: {}, delete: {}, ...(can("fork") && { fork: {} }) }
  return {
    loadSession: true,
    // Sounds are always taken, as files: what is promised is that the agent gets them as they are.
    promptCapabilities: { image: true, audio: agent?.audio === true, embeddedContext: true },
    mcpCapabilities: { http: mcp, sse: mcp },
    sessionCapabilities,
    ...ours({ agent: agent?.id, extensions }),
  }
}

/** The result of `initialize`: version 1 whatever was asked for, until there is a second projection. */
export function initializeResult(version: string, agent?: KnownAgent): InitializeResponse {
  return {
    protocolVersion: 1,
    agentCapabilities: agentCapabilities(agent),
    agentInfo: { name: "sandbox-agent", title: "Sandbox Agent", version },
    authMethods: [],
  }
}
