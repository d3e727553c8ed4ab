/** What our extension uses of Pi. Types alone: the extension is loaded by Pi, and imports nothing. */

export interface Pi {
  on<E extends keyof Events>(event: E, handler: (event: Events[E], context: Context) => unknown): void
  registerTool(tool: Tool): void
}

interface Events {
  tool_call: { toolCallId: string; toolName: string; input: unknown }
  before_agent_start: { systemPrompt: string; systemPromptOptions?: { appendSystemPrompt?: string } }
  agent_end: object
  session_start: object
  session_shutdown: object
}

export interface Context {
  /** Somebody can be asked. */
  hasUI: boolean
  /** Of the turn that runs. */
  signal?: AbortSignal
  ui: {
    input(title: string, placeholder?: string, options?: { signal?: AbortSignal }): Promise<string | undefined>
    setStatus(key: string, text: string | undefined): void
  }
  sessionManager: { getLeafId?(): string | null }
}

export interface Tool {
  name: string
  label: string
  description: string
  /** JSON Schema. */
  parameters: object
  execute(
    call: string,
    params: never,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: Context,
  ): Promise<ToolAnswer>
}

export interface ToolAnswer {
  content: ({ type: "text"; text: string } | { type: "image"; data: string; mimeType: string })[]
  details: object
}

export interface McpProgram {
  command: string
  args?: string[]
  env?: Record<string, string>
  cwd?: string
  timeoutMs?: number
}

export interface McpAddress {
  type: "http" | "sse"
  url: string
  headers?: Record<string, string>
  timeoutMs?: number
}

export type McpServer = McpProgram | McpAddress
