import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { AgentProcess } from "../core/client.ts"
import type { Host } from "../core/driver.ts"
import type { Child, Program, ProgramOptions, ProgramStarter, SpawnOptions, Supervisor } from "../core/supervisor.ts"
import { Adopted } from "./adopted.ts"
import { type ChildHost, OwnedChild } from "./child.ts"
import { Cookies } from "./cookie.ts"
import { environmentOf, type Variables, withCookie } from "./environment.ts"
import { type Kernel, openKernel } from "./kernel.ts"
import { Kinship } from "./kinship.ts"
import { type LaunchOptions, launch } from "./launch.ts"
import type { Launcher } from "./launch-as.ts"
import type { Born } from "./life.ts"
import { ownChild } from "./own-children.ts"
import { programOf, readProc, startTimeOf } from "./proc.ts"
import { OwnedProgram } from "./program.ts"
import { Sweeper } from "./sweep.ts"
import { limitIn, Tags } from "./tag.ts"
import { TerminalEnd } from "./terminal-end.ts"
import { OwnedTerminal } from "./terminal-program.ts"
import { findUser, shellOf } from "./users.ts"
import { Watcher } from "./watcher.ts"

export interface SupervisorOptions {
  daemonId: string
  log: Host["log"]
  record?: ProcessRecorder
  /** Whether every child of this process is ours: then orphans of agents come to it and end with the last of them. */
  adopts?: boolean
  /** Becomes the user that children run as, but for those that are ours (`asDaemon`). */
  as?: Launcher | undefined
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

export interface ListingSupervisor extends Supervisor, ProgramStarter {
  /** The children that live now. */
  list(): LiveChild[]
  /** What is known of a process that is one of our agents' or stems from one; undefined of any other. Linux alone. */
  agentProcess(pid: number): AgentProcess | undefined
  /** Whether there was ever a child. */
  readonly started: boolean
}

export function createSupervisor(options: SupervisorOptions): ListingSupervisor {
  return new ChildSupervisor(options)
}

/** A process with all it starts, as far as the supervisor has to do with it. */
interface Owned {
  readonly pid: number
  readonly alive: boolean
  readonly startedAt: number
  readonly settled: Promise<{ code?: number | undefined; signal?: string | undefined }>
  stop(options?: { politeMs?: number; graceMs?: number }): Promise<unknown>
  kill(): Promise<unknown>
  rssBytes(): number | undefined
}

type Startable = Pick<SpawnOptions, "owner" | "agent" | "label" | "command" | "directory" | "asDaemon" | "env">

interface Opened {
  kernel: Kernel | undefined
  adopted: Adopted | undefined
  kinship: Kinship
}

class ChildSupervisor implements ListingSupervisor {
  readonly #children = new Map<Owned, { owner: string; label: string; tag: string | undefined }>()
  readonly #cookies: Cookies
  readonly #tags: Tags
  readonly #sweeper: Sweeper
  readonly #watcher: Watcher
  #opened: Opened | undefined
  #stopping: Promise<void> | undefined

  constructor(private readonly options: SupervisorOptions) {
    this.#cookies = new Cookies(options.daemonId)
    this.#tags = new Tags(options.daemonId)
    this.#sweeper = new Sweeper(options.log)
    this.#watcher = new Watcher({ cookie: this.#cookies.run, tag: this.#tags.run }, options.log, {
      unmarked: (start) => this.#marked(undefined, start),
      started: ownChild,
    })
  }

  spawn(options: SpawnOptions): Child {
    return this.#start(options, launch, (process, host) => new OwnedChild(process, options, host))
  }

  get userShell(): string {
    const { as } = this.options
    return (as === undefined && process.env.SHELL) || shellOf(findUser(as?.user.uid ?? process.getuid?.() ?? 0))
  }

  startProgram(options: ProgramOptions): Program {
    const { terminal } = options
    if (terminal !== undefined) {
      const screen = new TerminalEnd(options, terminal, this.options.as?.user)
      return this.#start(
        options,
        (launching) => screen.launch(launching),
        (process, host) => new OwnedTerminal(process, screen, host),
      )
    }
    return this.#start(options, launch, (process, host) => new OwnedProgram(process, options, host))
  }

  #start<P extends Born, C extends Owned>(
    options: Startable,
    launch: (options: LaunchOptions) => P,
    own: (process: P, host: ChildHost) => C,
  ): C {
    if (this.#stopping !== undefined) throw new SandboxAgentError("unavailable", "the daemon is stopping")
    const { adopted } = this.#open()
    this.#watcher.start()
    const { owner, label, command, directory } = options
    const cookie = this.#cookies.next(owner)
    const env = withCookie(this.environment(options.agent, options.env), cookie.value)
    const tag = this.#tags.next()
    const as = options.asDaemon ? undefined : this.options.as
    const process = this.#launch(tag, () => launch({ label, command, directory, env, as }))
    ownChild(process.pid, process.exited)
    this.#watcher.add(process.pid)
    const { log } = this.options
    const sweep = () => this.#sweeper.sweep({ cookie: cookie.prefix, tag })
    const child = own(process, { log, sweep, heard: () => adopted?.heard() })
    this.#children.set(child, { owner, label, tag })
    this.#record(() => this.options.record?.started(child.pid, startTimeOf(child.pid) ?? Date.now(), owner, label))
    log("debug", "process started", { pid: child.pid, owner, label })
    void child.settled.then(({ code, signal }) => {
      this.#children.delete(child)
      if (tag !== undefined) this.#tags.release(tag)
      void adopted?.ended(() => this.#children.size === 0)
      this.#watcher.remove(child.pid)
      this.#record(() => this.options.record?.ended(child.pid))
      log("debug", "process ended", { pid: child.pid, owner, label, code, signal })
    })
    return child
  }

  environment(agent: string | undefined, given: Readonly<Record<string, string>>): Record<string, string> {
    return environmentOf(agent === undefined ? [] : (this.options.variables?.(agent) ?? []), given)
  }

  get started(): boolean {
    return this.#opened !== undefined
  }

  list(): LiveChild[] {
    return [...this.#children].flatMap(([child, { owner, label }]) =>
      child.alive ? [{ pid: child.pid, owner, label, startedAt: child.startedAt, rss: child.rssBytes() }] : [],
    )
  }

  agentProcess(pid: number): AgentProcess | undefined {
    const below = this.#opened?.kinship.below(pid)
    if (below === undefined) return undefined
    const tag = limitIn(readProc(`${pid}/limits`) ?? "")
    const [, known] =
      [...this.#children].find(
        ([child, options]) => child.pid === below || (tag !== undefined && options.tag === tag),
      ) ?? []
    return { pid, program: programOf(pid), owner: known?.owner }
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
    await this.#sweeper.sweep({ cookie: this.#cookies.run, tag: this.#tags.run })
    await this.#opened?.adopted?.ended(() => true)
    await this.#watcher.close()
  }

  /** With the first child, before the watcher. */
  #open(): Opened {
    if (this.#opened) return this.#opened
    const { daemonId, adopts, log } = this.options
    const kernel = openKernel(log)
    const kinship = new Kinship(daemonId, (pid) => pid === this.#watcher.pid)
    const adopted = kernel && adopts ? new Adopted(kernel, log) : undefined
    if (adopts) kernel?.hideOurselves()
    this.#opened = { kernel, adopted, kinship }
    return this.#opened
  }

  #launch<P>(tag: string | undefined, start: () => P): P {
    try {
      return this.#marked(tag, start)
    } catch (error) {
      if (tag !== undefined) this.#tags.release(tag)
      throw error
    }
  }

  /** Without a tag also without that of a daemon whose agent runs us. */
  #marked<T>(tag: string | undefined, start: () => T): T {
    const kernel = this.#opened?.kernel
    return kernel ? kernel.withLockLimit(tag === undefined ? undefined : BigInt(tag), start) : start()
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
