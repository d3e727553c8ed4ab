import type { Host } from "../../core/driver.ts"
import type { Exit, Sink } from "../../core/driver-sink.ts"
import { openMsOf } from "../shared/open-ms.ts"
import type { Lease } from "../shared/pool.ts"
import { SessionMember } from "../shared/session-member.ts"
import type { Conversation } from "./conversation.ts"
import type { McpServers } from "./mcp-servers.ts"
import type { Line } from "./native.ts"
import type { Server } from "./server.ts"
import type { Servers } from "./servers.ts"
import { stopAll, unload } from "./unload.ts"

/** One session among those that share a server, and its thread there. */
export class ThreadMember extends SessionMember {
  /** It listens itself while its thread opens. */
  readonly working = true
  #lease: Lease<Server> | undefined
  #conversation: Conversation | undefined
  #leaving: Promise<void> | undefined
  /** What its thread is opened with, as JSON. */
  config = ""

  constructor(
    readonly sink: Sink,
    protected override readonly host: Host,
    private readonly servers: Servers,
    private readonly mcp: McpServers,
  ) {
    super(host)
  }

  /** How long its opening may take. */
  get openMs(): number {
    return openMsOf(this.host)
  }

  hold(lease: Lease<Server>, conversation: Conversation): void {
    this.#lease = lease
    this.#conversation = conversation
    lease.server.listenAs(this, conversation)
    this.opened({
      canLeave: () => conversation.turns.isIdle,
      leave: () => this.#goAway("its server is being replaced"),
      lost: (exit) => this.#lost(conversation, exit),
    })
  }

  /** Until the thread is open: its MCP servers start meanwhile, nothing else of it concerns anybody. */
  receive(line: Line): void {
    if (line.id !== undefined) throw new Error("nobody can be asked before the thread is open")
    this.mcp.receive(line, this.sink)
  }

  #lost(conversation: Conversation, exit: Exit): void {
    conversation.closed = true
    // Killed in its first answer: what it has written is resumed, not forgotten.
    this.sink.after(
      conversation.kept.look().then(() => conversation.isOnDisk()),
      (found) => {
        if (found) conversation.ref.durable = true
        this.sink.gone(exit)
      },
    )
    this.mcp.settled()
    conversation.turns.end()
  }

  turnEnded(well: boolean): void {
    if (well) this.#lease?.proven()
    this.leaveIfDrained()
  }

  /** The server has forgotten the thread; the next message resumes it. */
  unloaded(): void {
    this.#goAway("Codex unloaded the thread")
  }

  #goAway(message: string): void {
    if (this.#conversation === undefined || this.#conversation.closed) return
    this.sink.gone({ code: 0, message })
    this.leave(true).catch((error: unknown) =>
      this.host.log("warn", "a thread was not given back", { error: String(error) }),
    )
  }

  /**
   * Gives the thread back. What runs in it is stopped at once; it is taken out of the server now or, politely, a moment
   * later: when the daemon ends the server dies in that moment, and no thread is caught on its way.
   */
  leave(now: boolean): Promise<void> {
    this.#leaving ??= this.#leave(now)
    return this.#leaving
  }

  async #leave(now: boolean): Promise<void> {
    const conversation = this.#conversation
    const lease = this.#lease
    if (conversation === undefined || lease === undefined) return
    const dead = conversation.closed
    conversation.closed = true
    this.closed()
    const { server, main, turns } = conversation
    server.forget(conversation)
    try {
      if (dead || !server.alive) return
      if (now) return await this.#unload(conversation, lease)
      stopAll(conversation)
      this.servers.unloadLater(main.id, server, this.config, () => this.#unload(conversation, lease))
    } finally {
      this.mcp.settled()
      turns.end()
      lease.release()
    }
  }

  async #unload(conversation: Conversation, lease: Lease<Server>): Promise<void> {
    const { server, main } = conversation
    if (!server.alive || (await unload(conversation))) return
    this.host.log("warn", "Codex does not let go of a thread; its server is replaced", { thread: main.id })
    this.servers.stuck(main.id, server)
    lease.drain()
    server
      .endIfDead()
      .catch((error: unknown) => this.host.log("warn", "a server was not ended", { error: String(error) }))
  }
}
