/** What Amp writes to stdout, as far as we read it: less than its package declares (`native.gen.ts`), and some that it does not. */
export type Line = InitLine | UserLine | AssistantLine | ResultLine

export interface InitLine {
  type: "system"
  subtype: "init"
  session_id: string
  tools?: string[]
  mcp_servers?: { name: string; status: string }[]
  agent_mode?: string
}

export interface UserLine {
  type: "user"
  /** What we have said comes back, without its pictures; so do the results of tools. */
  message: { role: "user"; content: Block[] }
  parent_tool_use_id: string | null
}

export interface AssistantLine {
  type: "assistant"
  message: { content: Block[]; stop_reason: string | null; usage?: TokenUsage }
  /** The call of the sub-agent that says it; the versions we know never tell. */
  parent_tool_use_id: string | null
}

export interface ResultLine {
  type: "result"
  subtype: string
  is_error: boolean
  error?: string
  result?: string
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

export interface TokenUsage {
  input_tokens?: number
  cache_creation_input_tokens?: number
  cache_read_input_tokens?: number
  output_tokens?: number
  /** Of the context. */
  max_tokens?: number
}
