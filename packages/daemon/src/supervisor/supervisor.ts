import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { AgentProcess } from "../core/client.ts"
import type { Host } from "../core/driver.ts"
import type { Child, Program, ProgramOptions, ProgramStarter, SpawnOptions, Supervisor } from "../core/supervisor.ts"
import { AgentAncestry } from "./agent-ancestry.ts"
import { type ChildHost, OwnedChild } from "./child.ts"
import { environmentOf, type Variables, withProcessTag } from "./environment.ts"
import { type Kernel, openKernel } from "./kernel.ts"
import { registerChild } from "./known-children.ts"
import { type LaunchOptions, launch } from "./launch.ts"
import type { Launcher } from "./launch-as.ts"
import { LimitTags, limitIn } from "./limit-tag.ts"
import { Orphans } from "./orphans.ts"
import { programOf, readProc, startTimeOf } from "./proc.ts"
import type { SpawnedProcess } from "./process-lifetime.ts"
import { ProcessTags } from "./process-tag.ts"
import { OwnedProgram } from "./program.ts"
import { Sweeper } from "./sweep.ts"
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
  orphans: Orphans | undefined
  ancestry: AgentAncestry
}

class ChildSupervisor implements ListingSupervisor {
  readonly #children = new Map<Owned, { owner: string; label: string; limitTag: string | undefined }>()
  readonly #processTags: ProcessTags
  readonly #limitTags: LimitTags
  readonly #sweeper: Sweeper
  readonly #watcher: Watcher
  #opened: Opened | undefined
  #stopping: Promise<void> | undefined

  constructor(private readonly options: SupervisorOptions) {
    this.#processTags = new ProcessTags(options.daemonId)
    this.#limitTags = new LimitTags(options.daemonId)
    this.#sweeper = new Sweeper(options.log)
    this.#watcher = new Watcher({ processTag: this.#processTags.run, limitTag: this.#limitTags.run }, options.log, {
      unmarked: (start) => this.#marked(undefined, start),
      started: registerChild,
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

  #start<P extends SpawnedProcess, C extends Owned>(
    options: Startable,
    launch: (options: LaunchOptions) => P,
    wrap: (process: P, host: ChildHost) => C,
  ): C {
    if (this.#stopping !== undefined) throw new SandboxAgentError("unavailable", "the daemon is stopping")
    const { orphans } = this.#open()
    this.#watcher.start()
    const { owner, label, command, directory } = options
    const processTag = this.#processTags.next(owner)
    const env = withProcessTag(this.environment(options.agent, options.env), processTag.value)
    const limitTag = this.#limitTags.next()
    const as = options.asDaemon ? undefined : this.options.as
    const process = this.#launch(limitTag, () => launch({ label, command, directory, env, as }))
    registerChild(process.pid, process.exited)
    this.#watcher.add(process.pid)
    const { log } = this.options
    const sweep = () => this.#sweeper.sweep({ processTag: processTag.prefix, limitTag })
    const child = wrap(process, { log, sweep, heard: () => orphans?.heard() })
    this.#children.set(child, { owner, label, limitTag })
    this.#record(() => this.options.record?.started(child.pid, startTimeOf(child.pid) ?? Date.now(), owner, label))
    // What agents do is told; other programs come and go with requests.
    const level = options.agent === undefined ? "debug" : "info"
    log(level, "process started", { pid: child.pid, owner, label })
    void child.settled.then(({ code, signal }) => {
      this.#children.delete(child)
      if (limitTag !== undefined) this.#limitTags.release(limitTag)
      void orphans?.ended(() => this.#children.size === 0)
      this.#watcher.remove(child.pid)
      this.#record(() => this.options.record?.ended(child.pid))
      log(level, "process ended", { pid: child.pid, owner, label, code, signal })
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
    const below = this.#opened?.ancestry.below(pid)
    if (below === undefined) return undefined
    const limitTag = limitIn(readProc(`${pid}/limits`) ?? "")
    const [, known] =
      [...this.#children].find(
        ([child, options]) => child.pid === below || (limitTag !== undefined && options.limitTag === limitTag),
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
    await this.#sweeper.sweep({ processTag: this.#processTags.run, limitTag: this.#limitTags.run })
    await this.#opened?.orphans?.ended(() => true)
    await this.#watcher.close()
  }

  /** With the first child, before the watcher. */
  #open(): Opened {
    if (this.#opened) return this.#opened
    const { daemonId, adopts, log } = this.options
    const kernel = openKernel(log)
    const ancestry = new AgentAncestry(daemonId, (pid) => pid === this.#watcher.pid)
    const orphans = kernel && adopts ? new Orphans(kernel, log) : undefined
    if (adopts) kernel?.hideOurselves()
    this.#opened = { kernel, orphans, ancestry }
    return this.#opened
  }

  #launch<P>(limitTag: string | undefined, start: () => P): P {
    try {
      return this.#marked(limitTag, start)
    } catch (error) {
      if (limitTag !== undefined) this.#limitTags.release(limitTag)
      throw error
    }
  }

  /** Without a tag also without that of a daemon whose agent runs us. */
  #marked<T>(limitTag: string | undefined, start: () => T): T {
    const kernel = this.#opened?.kernel
    return kernel ? kernel.withLockLimit(limitTag === undefined ? undefined : BigInt(limitTag), start) : start()
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
