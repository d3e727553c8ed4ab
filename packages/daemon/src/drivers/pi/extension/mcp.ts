import type { McpServer, Pi, ToolAnswer } from "./api.ts"
import McpClient from "./mcp-client.ts"
import overHttp from "./mcp-http.ts"
import overStdio from "./mcp-stdio.ts"

interface NativeTool {
  name: string
  description?: string
  inputSchema?: object
}

interface CallResult {
  content?: { type: string; text?: string; data?: string; mimeType?: string; resource?: { text?: string } }[]
  isError?: boolean
}

/** A server may take so long to start where nobody says otherwise, and a message waits for it no longer than this. */
const START_MS = 30_000

/** The MCP servers of a session: not every version of Pi has them, and none can be told of them when it starts. */
class McpServers {
  readonly #clients: McpClient[] = []
  readonly #starting: Promise<unknown>

  constructor(
    private readonly pi: Pi,
    servers: Record<string, McpServer>,
    /** One whose message is longer is given up: it would be held whole. */
    private readonly messageChars: number,
    /** A server did not start. */
    private readonly failed: (name: string, reason: string) => void,
  ) {
    const starts = Object.entries(servers).map(([name, server]) => this.#start(name, server))
    this.#starting = Promise.race([Promise.all(starts), later(START_MS)])
  }

  /** Their tools are known, as far as they come in time. */
  async started(): Promise<void> {
    await this.#starting
  }

  close(): void {
    for (const client of this.#clients) client.close()
  }

  async #start(name: string, server: McpServer): Promise<void> {
    const client = new McpClient()
    this.#clients.push(client)
    const late = server.timeoutMs ?? START_MS
    const { messageChars } = this
    const connect = "url" in server ? overHttp(server, messageChars) : overStdio(server, messageChars)
    const open = client.open(connect).then(() => this.#register(name, client))
    try {
      await Promise.race([
        open,
        later(late).then(() => Promise.reject(new Error(`it did not start within ${late} ms`))),
      ])
      client.changed = () => void this.#register(name, client).catch((error: unknown) => this.#failed(name, error))
    } catch (error) {
      open.catch(() => undefined) // late, and told already
      client.close()
      this.#failed(name, error)
    }
  }

  #failed(name: string, error: unknown): void {
    this.failed(name, error instanceof Error ? error.message : String(error))
  }

  async #register(server: string, client: McpClient): Promise<void> {
    for (const tool of await toolsOf(client))
      this.pi.registerTool({
        name: `mcp__${server}__${tool.name}`.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64),
        label: `${server}: ${tool.name}`,
        description: tool.description ?? tool.name,
        parameters: tool.inputSchema ?? { type: "object", properties: {} },
        execute: (_, params, signal) => call(client, tool.name, params, signal),
      })
  }
}

async function toolsOf(client: McpClient): Promise<NativeTool[]> {
  const tools: NativeTool[] = []
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await client.request("tools/list", cursor === undefined ? {} : { cursor })
    const { tools: listed = [], nextCursor } = page as { tools?: NativeTool[]; nextCursor?: string }
    tools.push(...listed)
    cursor = nextCursor
  }
  return tools
}

async function call(
  client: McpClient,
  name: string,
  params: object,
  signal: AbortSignal | undefined,
): Promise<ToolAnswer> {
  const result = (await client.request("tools/call", { name, arguments: params }, signal)) as CallResult
  const content = (result.content ?? []).map(({ type, text, data, mimeType, resource }) =>
    type === "image" && data !== undefined
      ? { type: "image" as const, data, mimeType: mimeType ?? "image/png" }
      : { type: "text" as const, text: text ?? resource?.text ?? `(${type})` },
  )
  // How a tool of Pi says that it failed.
  if (result.isError) throw new Error(content.map((one) => ("text" in one ? one.text : "")).join("\n"))
  return { content, details: {} }
}

/** It keeps nobody from ending. */
const later = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })

export default McpServers
