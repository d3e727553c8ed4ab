import type { SessionSink } from "../../core/driver-sink.ts"

interface ServerStatus {
  name: string
  status: string
  error?: string
}

/** Asks Claude Code what it knows of its servers; `then` is called in the line that answers. */
type Ask = (then: (payload: unknown) => void) => void

const broken: Readonly<Record<string, string>> = { failed: "no reason", "needs-auth": "it wants a login" }

/** MCP servers that do not work. Each turn begins with their status; the reason of a failure has to be asked for. */
export class McpStatus {
  readonly #reported = new Set<string>()
  /** One was still starting when the turn began. */
  #pending = false

  constructor(
    private readonly sink: SessionSink,
    private readonly ask: Ask,
  ) {}

  turnBegan(servers: readonly ServerStatus[] = []): void {
    this.#pending = servers.some(({ status }) => status === "pending")
    for (const { name, status } of servers) if (status === "connected") this.#reported.delete(name)
    const failed = servers.filter((server) => this.#isNews(server))
    if (failed.length > 0) this.ask((payload) => this.#report(failed, payload))
  }

  turnEnded(): void {
    if (!this.#pending) return
    this.#pending = false
    this.ask((payload) => this.#report(serversIn(payload), payload))
  }

  #isNews = ({ name, status }: ServerStatus): boolean => status in broken && !this.#reported.has(name)

  #report(servers: readonly ServerStatus[], payload: unknown): void {
    const known = serversIn(payload)
    for (const { name, status } of servers.filter(this.#isNews)) {
      this.#reported.add(name)
      const reason = known.find((server) => server.name === name)?.error ?? broken[status]
      this.sink.mcpFailed(name, reason ?? "no reason")
    }
  }
}

const serversIn = (payload: unknown): readonly ServerStatus[] =>
  (payload as { mcpServers?: ServerStatus[] } | undefined)?.mcpServers ?? []
