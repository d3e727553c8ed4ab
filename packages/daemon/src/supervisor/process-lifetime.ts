import { limits } from "@sandbox-agent/schema/limits"
import { killGroup } from "./proc.ts"
import { killWithGroup } from "./process-tree.ts"
import { within } from "./reading.ts"

/** A process that was just started. */
export interface SpawnedProcess {
  readonly pid: number
  readonly exited: Promise<unknown>
}

/** What belongs to one process beside its life. */
export interface LifetimeHooks<E> {
  /** Kills every process that still has its tag. */
  sweep(): Promise<void>
  /** It may leave by itself now. */
  endInput(): void
  /** It is dead: takes what it left, and tells how it ended. */
  finish(): Promise<E>
  /** Takes no more of what it left. */
  cancel(): void
}

/** How a process with all it starts comes to its end. Whatever way that is, what it left behind is killed. */
export class ProcessLifetime<E> {
  readonly pid: number
  readonly startedAt = Date.now()
  readonly exited: Promise<E>
  /** After `exited`, when what it left behind is gone too. */
  readonly settled: Promise<E>
  readonly dead: Promise<unknown>
  readonly #unkillable = Promise.withResolvers<void>()
  #alive: boolean = true
  #swept: Promise<void> = Promise.resolve()
  #stopping: Promise<E> | undefined
  #killing: Promise<E> | undefined

  constructor(
    process: SpawnedProcess,
    private readonly ends: LifetimeHooks<E>,
  ) {
    this.pid = process.pid
    this.dead = Promise.race([process.exited, this.#unkillable.promise])
    this.exited = this.#live()
    this.settled = this.exited.then(async (exit) => {
      await this.#swept
      return exit
    })
  }

  get alive(): boolean {
    return this.#alive
  }

  stop(politeMs: number = limits.closeMs, graceMs: number = limits.terminateMs): Promise<E> {
    this.#stopping ??= this.#stop(politeMs, graceMs)
    return this.#stopping
  }

  kill(): Promise<E> {
    this.#killing ??= this.#kill()
    return this.#killing
  }

  async #live(): Promise<E> {
    await this.dead
    this.#alive = false
    // First of all: leftovers may hold our pipes, and the end of those is waited for.
    killGroup(this.pid, "SIGKILL")
    this.#swept = this.ends.sweep()
    return this.ends.finish()
  }

  async #stop(politeMs: number, graceMs: number): Promise<E> {
    this.ends.endInput()
    if (!(await within(politeMs, this.dead))) {
      if (this.#alive) killGroup(this.pid, "SIGTERM")
      if (!(await within(graceMs, this.dead))) return this.kill()
    }
    return this.#settle()
  }

  async #kill(): Promise<E> {
    // While it lives it is still seen who stems from it, whatever they shed.
    if (this.#alive) killWithGroup(this.pid)
    // A process stuck in the kernel dies when the kernel lets it; nobody waits for that.
    if (!(await within(limits.terminateMs, this.dead))) this.#unkillable.resolve()
    return this.#settle()
  }

  /** Whoever ends a process need not wait for a gate that nobody may open any more. */
  async #settle(): Promise<E> {
    if (!(await within(limits.terminateMs, this.exited))) this.ends.cancel()
    return this.settled
  }
}
