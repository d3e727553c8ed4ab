import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Host } from "../core/driver.ts"
import type { Child, SpawnOptions, Supervisor } from "../core/supervisor.ts"
import { OwnedChild } from "./child.ts"
import { Cookies } from "./cookie.ts"
import { environmentOf, type Variables, withCookie } from "./environment.ts"
import { launch } from "./launch.ts"
import { startTimeOf } from "./proc.ts"
import { Sweeper } from "./sweep.ts"
import { Watcher } from "./watcher.ts"

export interface SupervisorOptions {
  daemonId: string
  log: Host["log"]
  record?: ProcessRecorder
  /** What an agent may see of our environment beside what every child may. */
  variables?(agent: string): Variables
}

/** Remembers processes beyond the daemon's own life, for `reapLastRun`. */
export interface ProcessRecorder {
  started(pid: number, startTime: number, owner: string, label: string): void
  ended(pid: number): void
}

export interface LiveChild {
  pid: number
  owner: string
  label: string
  startedAt: number
  rss: number | undefined
}

export interface ListingSupervisor extends Supervisor {
  /** The children that live now. */
  list(): LiveChild[]
}

export function createSupervisor(options: SupervisorOptions): ListingSupervisor {
  return new ChildSupervisor(options)
}

class ChildSupervisor implements ListingSupervisor {
  readonly #children = new Map<OwnedChild, SpawnOptions>()
  readonly #cookies: Cookies
  readonly #sweeper: Sweeper
  readonly #watcher: Watcher
  #stopping: Promise<void> | undefined

  constructor(private readonly options: SupervisorOptions) {
    this.#cookies = new Cookies(options.daemonId)
    this.#sweeper = new Sweeper(options.log)
    this.#watcher = new Watcher(this.#cookies.run, options.log)
  }

  spawn(options: SpawnOptions): Child {
    if (this.#stopping !== undefined) throw new SandboxAgentError("unavailable", "the daemon is stopping")
    this.#watcher.start()
    const { owner, label, command, directory } = options
    const cookie = this.#cookies.next(owner)
    const env = withCookie(this.environment(options.agent, options.env), cookie.value)
    const process = launch({ label, command, directory, env })
    this.#watcher.add(process.pid)
    const { log } = this.options
    const child = new OwnedChild(process, options, { log, sweep: () => this.#sweeper.sweep(cookie.prefix) })
    this.#children.set(child, options)
    this.#record(() => this.options.record?.started(child.pid, startTimeOf(child.pid) ?? Date.now(), owner, label))
    log("debug", "process started", { pid: child.pid, owner, label })
    void child.settled.then(({ code, signal }) => {
      this.#children.delete(child)
      this.#watcher.remove(child.pid)
      this.#record(() => this.options.record?.ended(child.pid))
      log("debug", "process ended", { pid: child.pid, owner, label, code, signal })
    })
    return child
  }

  environment(agent: string | undefined, given: Readonly<Record<string, string>>): Record<string, string> {
    return environmentOf(agent === undefined ? [] : (this.options.variables?.(agent) ?? []), given)
  }

  list(): LiveChild[] {
    return [...this.#children].flatMap(([child, { owner, label }]) =>
      child.alive ? [{ pid: child.pid, owner, label, startedAt: child.startedAt, rss: child.rssBytes() }] : [],
    )
  }

  async killOwner(owner: string): Promise<void> {
    const theirs = [...this.#children].filter(([, options]) => options.owner === owner)
    await Promise.all(theirs.map(([child]) => child.kill()))
  }

  stopAll(): Promise<void> {
    this.#stopping ??= this.#stopAll()
    return this.#stopping
  }

  async #stopAll(): Promise<void> {
    // Both steps together take `terminateMs`: the daemon's own shutdown is waited for, too.
    const politeMs = limits.terminateMs / 3
    const graceMs = limits.terminateMs - politeMs
    await Promise.all([...this.#children.keys()].map((child) => child.stop({ politeMs, graceMs })))
    await this.#sweeper.sweep(this.#cookies.run)
    await this.#watcher.close()
  }

  /** A record that cannot be written costs a clean-up after a crash, not the agent. */
  #record(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.options.log("warn", "a process could not be recorded", { error: String(error) })
    }
  }
}
