import { limits } from "@sandbox-agent/schema/limits"
import type { Host } from "../../core/driver.ts"
import { openMsOf } from "../shared/open-ms.ts"
import { type Lease, Pool, type PoolMember, type ServerHooks } from "../shared/pool.ts"
import { Server, type ServerOptions } from "./server.ts"

interface Left {
  server: Server
  /** What it was opened with, and has for as long as it stays. */
  config: string
  unload(): Promise<void>
  timer: ReturnType<typeof setTimeout>
}

/** The servers of all sessions, one for each key. */
export class Servers {
  readonly #pool = new Pool<Server>()
  /** Two that begin with an empty home at once trip over each other, and one of them dies. */
  readonly #starting = new Map<string, Promise<unknown>>()
  /** Threads that a server would not let go of, until it ends. */
  readonly #stuck = new Map<string, Server>()

  /** Threads whose sessions have left them, still in a server's memory. */
  readonly #left = new Map<string, Left>()

  constructor(private readonly version: string) {}

  lease(
    options: Omit<ServerOptions, "version">,
    member: PoolMember,
    host: Host,
    signal?: AbortSignal,
  ): Promise<Lease<Server>> {
    const start = (hooks: ServerHooks) => this.#start(options, host, hooks)
    return this.#pool.lease(options.key, member, start, { signal, startMs: openMsOf(host) })
  }

  unloadLater(thread: string, server: Server, config: string, unload: () => Promise<void>): void {
    const timer = setTimeout(() => {
      this.#left.delete(thread)
      unload().catch(() => undefined) // it reports what fails; a server that is gone has nothing to let go of
    }, limits.closeMs)
    timer.unref()
    this.#left.set(thread, { server, config, unload, timer })
  }

  /** Somebody comes back to a thread: on the same server, with the same config, it stays (`true`), else it is let go of now. */
  async claim(thread: string, server: Server, config: string): Promise<boolean> {
    const left = this.#left.get(thread)
    if (left === undefined) return false
    clearTimeout(left.timer)
    this.#left.delete(thread)
    if (left.server === server && left.config === config) return true
    await left.unload()
    return false
  }

  stuck(thread: string, server: Server): void {
    this.#stuck.set(thread, server)
  }

  /** A server of ours that is on its way out still holds it. */
  isStuck(thread: string): boolean {
    const server = this.#stuck.get(thread)
    if (server?.alive) return true
    this.#stuck.delete(thread)
    return false
  }

  #start(options: Omit<ServerOptions, "version">, host: Host, hooks: ServerHooks): Promise<Server> {
    if (hooks.again) host.restarted()
    const { home } = options.serverHome
    const before = this.#starting.get(home) ?? Promise.resolve()
    const started = before.then(() => Server.start({ ...options, version: this.version }, host, hooks))
    const over = started.then(
      () => undefined,
      () => undefined,
    )
    this.#starting.set(home, over)
    void over.then(() => {
      if (this.#starting.get(home) === over) this.#starting.delete(home)
    })
    return started
  }
}
