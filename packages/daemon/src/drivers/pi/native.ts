import type { ThinkingLevel } from "./native.gen.ts"

/** What Pi writes to stdout, as far as we read it: less than its package declares (`native.gen.ts`), and what newer versions add. */
export type Line = ResponseLine | DialogLine | MessageLine | UpdateLine | ToolLine | LifeLine

export interface ResponseLine {
  type: "response"
  /** Of the command it answers; none where that could not be read. */
  id?: string
  command: string
  success: boolean
  data?: unknown
  error?: string
}

/** Something an extension shows or asks. */
export interface DialogLine {
  type: "extension_ui_request"
  id: string
  method: string
  title?: string
  message?: string
  options?: string[]
  placeholder?: string
  prefill?: string
  /** After so long Pi goes on without an answer, and does not tell. */
  timeout?: number
  statusKey?: string
  statusText?: string
}

export interface MessageLine {
  type: "message_start" | "message_end"
  message: Message
}

export interface UpdateLine {
  type: "message_update"
  assistantMessageEvent: Update
}

export interface Update {
  type: string
  contentIndex?: number
  delta?: string
  /** Of a call that begins; old versions tell it only when it is whole. */
  id?: string
  toolName?: string
}

export interface ToolLine {
  type: "tool_execution_start" | "tool_execution_update" | "tool_execution_end"
  toolCallId: string
  toolName: string
  args?: unknown
  /** All that came so far. */
  partialResult?: ToolResult
  result?: ToolResult
  isError?: boolean
}

/** The rest of its life. */
export interface LifeLine {
  type:
    | "agent_start"
    | "agent_end"
    | "agent_settled"
    | "turn_start"
    | "turn_end"
    | "queue_update"
    | "entry_appended"
    | "bash_execution_update"
    | "thinking_level_changed"
    | "session_info_changed"
    | "compaction_start"
    | "compaction_end"
    | "auto_retry_start"
    | "auto_retry_end"
    | "summarization_retry_scheduled"
    | "summarization_retry_attempt_start"
    | "summarization_retry_finished"
    | "extension_error"
  /** Another attempt follows in the same turn. Versions that do not tell it do not tell `agent_settled` either. */
  willRetry?: boolean
  /** Versions before 1.0 do not tell it. */
  aborted?: boolean
  level?: string
  name?: string
  reason?: string
  errorMessage?: string
  attempt?: number
  maxAttempts?: number
  delayMs?: number
  success?: boolean
  finalError?: string
  result?: { tokensBefore?: number; estimatedTokensAfter?: number }
  extensionPath?: string
  event?: string
  error?: string
}

export interface Message {
  role: string
  content?: string | Block[]
  stopReason?: string
  errorMessage?: string
  usage?: TokenUsage
  /** Of one that an extension adds: whether a person shall see it. */
  display?: boolean
  toolCallId?: string
  toolName?: string
  isError?: boolean
}

export interface Block {
  type: string
  text?: string
  thinking?: string
  id?: string
  name?: string
  arguments?: unknown
  data?: string
  mimeType?: string
}

export interface ToolResult {
  content?: Block[]
  details?: unknown
}

export interface TokenUsage {
  input?: number
  output?: number
  cacheRead?: number
  cacheWrite?: number
  reasoning?: number
  totalTokens?: number
  cost?: { total?: number }
}

/** Of `get_state`. */
export interface State {
  model?: NativeModel
  thinkingLevel?: string
  sessionFile?: string
  sessionId?: string
  sessionName?: string
}

export interface NativeModel {
  id: string
  provider: string
  name?: string
  reasoning?: boolean
  /** How a level is called by the provider; `null`: the model has none such. */
  thinkingLevelMap?: Readonly<Partial<Record<ThinkingLevel, string | null>>>
  contextWindow?: number
}

export interface NativeCommand {
  name: string
  description?: string
  source?: string
}
