/** Lines of Claude Code's stream-json as far as we read them. What an older version leaves out is optional. */
export type Line =
  | StreamLine
  | AssistantLine
  | UserLine
  | SystemLine
  | ResultLine
  | ControlRequestLine
  | ControlResponseLine
  | { type: "control_cancel_request"; request_id: string }
  | LifecycleLine
  | ToolProgressLine
  | RateLimitLine
  | { type: "conversation_reset"; trigger?: string }
  | { type: "keep_alive" | "auth_status" | "tool_use_summary" | "prompt_suggestion" }

export interface StreamLine {
  type: "stream_event"
  parent_tool_use_id?: string | null
  event: StreamEvent
}

export type StreamEvent =
  | { type: "message_start"; message: { id: string; usage?: TokenUsage } }
  | { type: "content_block_start"; index: number; content_block: Block }
  | { type: "content_block_delta"; index: number; delta: BlockDelta }
  | { type: "content_block_stop"; index: number }
  | { type: "message_delta"; usage?: TokenUsage }
  | { type: "message_stop" | "ping" | "error" }

export interface BlockDelta {
  type: string
  text?: string
  thinking?: string
  partial_json?: string
}

export interface Block {
  type: string
  text?: string
  thinking?: string
  id?: string
  name?: string
  input?: unknown
  tool_use_id?: string
  content?: unknown
  is_error?: boolean
}

export interface AssistantLine {
  type: "assistant"
  message: { id: string; model?: string; content: Block[]; usage?: TokenUsage }
  parent_tool_use_id?: string | null
  /** That of its entry in the transcript. */
  uuid?: string
  /** Word for a failed request to the model; the content is then its text. */
  error?: string
  api_error?: string
  aborted?: boolean
  tool_use_meta?: { id: string; display_name?: string }[]
}

export interface UserLine {
  type: "user"
  uuid?: string
  message: { role: string; content: string | Block[] }
  parent_tool_use_id?: string | null
  isReplay?: boolean
  isSynthetic?: boolean
  tool_use_result?: unknown
}

export interface SystemLine {
  type: "system"
  subtype: string
  session_id?: string
  model?: string
  mcp_servers?: { name: string; status: string }[]
  permissionMode?: string
  status?: string | null
  user_message_uuids?: string[]
  compact_metadata?: { trigger?: string; pre_tokens?: number; post_tokens?: number }
  attempt?: number
  max_retries?: number
  retry_delay_ms?: number
  error_status?: number | null
  error?: string
  content?: string
  text?: string
  message?: string
  tool_name?: string
  title?: string
  commands?: Command[]
  tasks?: { task_id: string }[]
  task_id?: string
  task_type?: string
  tool_use_id?: string
  description?: string
  is_backgrounded?: boolean
  output_file?: string
  summary?: string
  patch?: { is_backgrounded?: boolean }
}

export interface TokenUsage {
  input_tokens?: number | null
  output_tokens?: number
  cache_read_input_tokens?: number | null
  cache_creation_input_tokens?: number | null
}

export interface ModelUsage {
  inputTokens?: number
  outputTokens?: number
  cacheReadInputTokens?: number
  cacheCreationInputTokens?: number
  thinkingTokens?: number
  costUSD?: number
  contextWindow?: number
}

export interface ResultLine {
  type: "result"
  subtype: string
  is_error?: boolean
  result?: string
  errors?: string[]
  session_id?: string
  stop_reason?: string | null
  terminal_reason?: string
  api_error_status?: number | null
  api_error?: string
  num_turns?: number
  modelUsage?: Record<string, ModelUsage>
  model_usage_since_last_result?: Record<string, ModelUsage>
  user_message_uuids?: string[]
  origin?: { kind?: string }
}

export interface LifecycleLine {
  type: "command_lifecycle"
  command_uuid: string
  state: string
}

export interface ToolProgressLine {
  type: "tool_progress"
  tool_name?: string
  elapsed_time_seconds?: number
}

export interface RateLimitLine {
  type: "rate_limit_event"
  rate_limit_info?: { status?: string; resetsAt?: number; rateLimitType?: string }
}

export interface ControlRequestLine {
  type: "control_request"
  request_id: string
  request: { subtype: string } & Partial<ToolAsk> & Partial<Elicitation>
}

/** `can_use_tool`: a permission, a question of the model's, or a plan to approve. */
export interface ToolAsk {
  tool_name: string
  tool_use_id: string
  input: Record<string, unknown>
  display_name?: string
  description?: string
  permission_suggestions?: Suggestion[]
  blocked_path?: string
  decision_reason?: string
  agent_id?: string
  mcp_server?: { name?: string }
}

export interface Suggestion {
  type: string
  behavior?: string
  rules?: { toolName: string; ruleContent?: string }[]
}

export interface Elicitation {
  mcp_server_name: string
  message: string
  mode: string
  url: string
  requested_schema: object
}

export interface ControlResponseLine {
  type: "control_response"
  response: { subtype: "success" | "error"; request_id: string; response?: unknown; error?: string }
}

export interface Command {
  name: string
  description?: string
  argumentHint?: string
}

export interface NativeModel {
  value: string
  resolvedModel?: string
  displayName?: string
  supportedEffortLevels?: string[]
}

export interface Initialized {
  commands?: Command[]
  models?: NativeModel[]
}
