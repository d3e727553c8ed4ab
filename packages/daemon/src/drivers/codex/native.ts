import type * as Generated from "./native.gen.ts"

/**
 * The part of Codex's app-server protocol that we read. What an older version may leave out is optional. One line is one
 * JSON object: an answer to a request of ours, a request of the server's own, or a notification.
 */
export interface Line {
  id?: number | string
  method?: string
  params?: Params
  result?: unknown
  error?: RpcError
}

export interface RpcError {
  code?: number
  message?: string
  data?: unknown
}

/** Fields of all notifications and requests that concern a thread; each has some of them. */
export interface Params {
  threadId?: string | null
  turnId?: string | null
  itemId?: string
  thread?: { id: string }
  turn?: Turn
  item?: Item
  delta?: string
  diff?: string
  summaryIndex?: number
  contentIndex?: number
  plan?: { step: string; status: string }[]
  tokenUsage?: TokenUsage
  error?: TurnFailure | string | null
  willRetry?: boolean
  requestId?: number | string
  message?: string
  summary?: string
  name?: string
  threadName?: string | null
  status?: unknown
  toModel?: string
  run?: { eventName?: string; status?: string; statusMessage?: string | null }
}

export interface Turn {
  id: string
  /** Of a review and of a sub-agent: the turn it belongs to. */
  rootTurnId?: string | null
  status: string
  error?: TurnFailure | null
}

export interface TurnFailure {
  message: string
  codexErrorInfo?: string | Record<string, unknown> | null
  additionalDetails?: string | null
}

export interface Tokens {
  totalTokens: number
  inputTokens: number
  cachedInputTokens?: number
  outputTokens: number
  reasoningOutputTokens?: number
}

export interface TokenUsage {
  total: Tokens
  last: Tokens
  modelContextWindow?: number | null
}

/** What a turn is made of, by `type`; the fields are those of the types we show. */
export interface Item {
  type: string
  id: string
  clientId?: string | null
  content?: unknown
  text?: string
  phase?: string | null
  summary?: string[]
  command?: string
  cwd?: string
  processId?: string | null
  commandActions?: CommandAction[]
  aggregatedOutput?: string | null
  exitCode?: number | null
  durationMs?: number | null
  status?: string
  changes?: FileChange[]
  server?: string
  tool?: string
  namespace?: string | null
  name?: string
  arguments?: unknown
  output?: unknown
  result?: unknown
  error?: { message: string } | null
  contentItems?: { type: string; text?: string }[] | null
  success?: boolean | null
  prompt?: string | null
  model?: string | null
  reasoningEffort?: string | null
  receiverThreadIds?: string[]
  agentsStates?: Record<string, { status: string; message?: string | null }>
  kind?: string
  agentThreadId?: string
  agentPath?: string
  query?: string
  action?: unknown
  results?: unknown[] | null
  path?: string
  savedPath?: string | null
  revisedPrompt?: string | null
  review?: string
  /** Of raw items: what the model called, and what it was answered. */
  call_id?: string
  input?: string
}

export interface CommandAction {
  type: string
  command: string
}

export interface FileChange {
  path: string
  kind: { type: string; move_path?: string | null }
  diff: string
}

export interface CommandApproval extends Params {
  kind?: "command" | "writeStdin"
  command?: string | null
  cwd?: string | null
  reason?: string | null
  commandActions?: CommandAction[] | null
  networkApprovalContext?: { host?: string; protocol?: string } | null
  additionalPermissions?: unknown
}

export interface FileApproval extends Params {
  reason?: string | null
  grantRoot?: string | null
}

export interface PermissionsApproval extends Params {
  cwd?: string
  reason?: string | null
  permissions?: { network?: unknown; fileSystem?: unknown }
}

export interface UserInputRequest extends Params {
  questions: {
    id: string
    header?: string
    question: string
    isOther?: boolean
    isSecret?: boolean
    options?: { label: string; description?: string }[] | null
  }[]
}

export interface Elicitation extends Params {
  serverName: string
  mode?: string
  _meta?: { codex_approval_kind?: string; tool_description?: string; tool_params?: unknown } | null
  url?: string
  requestedSchema?: object
}

/** The answer to `thread/start`, `thread/resume` and `thread/fork`. */
export interface Opened {
  thread: { id: string; path?: string | null; name?: string | null }
  model?: string
  reasoningEffort?: string | null
}

export interface NativeModel {
  id: string
  displayName?: string
  hidden?: boolean
  isDefault?: boolean
  supportedReasoningEfforts?: { reasoningEffort: string }[]
  defaultReasoningEffort?: string
  serviceTiers?: { id: string; name: string }[]
}

export interface Terminal {
  itemId: string
  processId: string
}

/** Ours must take whatever the agent's own schema allows: a changed protocol fails here. */
type Fits<Native extends Ours, Ours> = Native
export type Checked = [
  Fits<Generated.ThreadItem, Item>,
  Fits<Generated.Turn, Turn>,
  Fits<Generated.TurnError, TurnFailure>,
  Fits<Generated.ThreadTokenUsageUpdatedNotification["tokenUsage"], TokenUsage>,
  Fits<Generated.CommandExecutionRequestApprovalParams, CommandApproval>,
  Fits<Generated.FileChangeRequestApprovalParams, FileApproval>,
  Fits<Generated.PermissionsRequestApprovalParams, PermissionsApproval>,
  Fits<Generated.ToolRequestUserInputParams, UserInputRequest>,
  Fits<Generated.ThreadStartResponse, Opened>,
  Fits<Generated.ThreadResumeResponse, Opened>,
  Fits<Generated.ThreadForkResponse, Opened>,
  Fits<Generated.Model, NativeModel>,
  Fits<Generated.ThreadBackgroundTerminal, Terminal>,
]
