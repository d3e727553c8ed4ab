import type { AgentError, McpServer, Metadata, PermissionMode, Skill, StopReason } from "./types.ts"

/** What is changed or kept with a session beside its directory. */
export interface SessionSettings {
  title?: string
  model?: string
  agentMode?: string
  variant?: string
  permissionMode?: PermissionMode
  skills?: Skill[]
  agentVersion?: string
  mcp?: Record<string, McpServer>
  /** Your own, kept with the session and told in lists. */
  metadata?: Metadata
}

export interface NewSessionRequest extends SessionSettings {
  /** Else the agent of the client. */
  agent?: string
  /** Else one that the daemon makes. */
  id?: string
  /** Absolute: where the agent works. */
  directory: string
}

export interface ForkRequest extends SessionSettings {
  /** Another agent, which is told of the session in a brief. */
  agent?: string
  id?: string
  /** Else the end of the last turn. */
  atSequence?: number
  directory?: string
}

export interface OpenRequest {
  /** Has to be there; the session keeps its own. */
  directory?: string
  /** In place of those it has. */
  mcp?: Record<string, McpServer>
}

export interface Choice {
  id: string
  name: string
  description?: string
}

/** What can be set with `setSessionConfigOption`. */
export interface ConfigOption {
  id: string
  name: string
  description?: string
  category?: string
  value: string | boolean
  /** None for what is on or off. */
  choices: Choice[]
}

export interface OpenedSession {
  id: string
  agent?: string
  /** The agent runs. Otherwise `error` says why not, and the next message tries again. */
  healthy: boolean
  error?: AgentError
  agentMode?: string
  agentModes: Choice[]
  model?: string
  models: Choice[]
  options: ConfigOption[]
  forkedAtSequence?: number
}

export interface ListSessionsRequest {
  agent?: string
  directory?: string
  cursor?: string
}

export interface ListedSession {
  id: string
  agent: string
  directory: string
  title?: string
  model?: string
  variant?: string
  agentMode?: string
  permissionMode?: PermissionMode
  createdAt: string
  updatedAt: string
  ended: boolean
  eventCount: number
  /** What its clients have kept with it. */
  metadata: Metadata
}

export interface ModelList {
  models: (Choice & { variants: string[]; defaultVariant?: string })[]
  model?: string
  defaultModel?: string
}

export interface PromptResult {
  stopReason: Exclude<StopReason, "error">
  turnId?: string
  messageId?: string
}

/** What the connection tells by itself, of the sessions that were opened on it. */
export type ClientEvent =
  | {
      type: "session.ended"
      sessionId: string
      reason: "completed" | "error" | "terminated"
      terminatedBy: "agent" | "daemon"
      message?: string
      exitCode?: number
      stderr?: { head?: string; tail?: string; truncated: boolean; totalLines?: number }
    }
  /** A line of an agent that is not what agents say. */
  | { type: "agent.unparsed"; sessionId: string; error: string; location: string; rawHash?: string; raw?: string }
  /** The connection is over, and not by `disconnect()`. */
  | { type: "disconnected"; error: Error }
