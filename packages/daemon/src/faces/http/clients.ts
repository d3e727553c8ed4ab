import type { Server } from "bun"
import type { AgentProcess, Client } from "../../core/client.ts"

type Remote = { address: string; port: number }

/** Tells who sent a request, for those that decide what agents may do. */
export class Clients {
  /** Whose connections these are; known once it listens. */
  server: Pick<Server<undefined>, "requestIP"> | undefined

  constructor(private readonly agentBehind: (remote: Remote | undefined) => Promise<AgentProcess | undefined>) {}

  /** While its connection is open, or is about to become a WebSocket. */
  of(request: Request): Client {
    const remote = this.server?.requestIP(request) ?? undefined
    return { agentProcess: () => this.agentBehind(remote) }
  }
}
