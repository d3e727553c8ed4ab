import type { Server } from "bun"
import type { AgentProcess, Client } from "../../core/client.ts"

type Remote = { address: string; port: number }

/** Who may leave before all it asked for is decided: it is looked up once, and `seen` is over when that was done. */
export class BriefClient implements Client {
  #process: Promise<AgentProcess | undefined> | undefined

  constructor(private readonly client: Client) {}

  agentProcess(): Promise<AgentProcess | undefined> {
    this.#process ??= this.client.agentProcess()
    return this.#process
  }

  /** Undefined: nobody has asked. */
  get seen(): Promise<unknown> | undefined {
    return this.#process
  }
}

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

  /** As `of`, but nothing is looked up until it is asked for, and who has left by then counts as an agent. */
  later(request: Request): Client {
    return { agentProcess: () => this.of(request).agentProcess() }
  }
}
