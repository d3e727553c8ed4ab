import { limits } from "@sandbox-agent/schema/limits"

/** Between the two collections of an idle period. */
const AGAIN_MS = 300

/** What is to be freed now: unused objects; after a long idle period the program's own pages; after much work compiled code with them. */
export type Collection = "garbage" | "program" | "code"

/** Idle polls in a row after which everything has been freed. */
const LONG_IDLE_POLLS = Math.ceil(limits.longIdleMs / limits.idleCheckMs)
/** Where the count goes on after little work: past the collection, there is not much to collect. */
const LITTLE_GARBAGE = 1

/** Fires once when CPU use drops after a busy period, and once more when it has stayed low for long. */
export class IdleDetector {
  #used: number
  #idlePolls = 0
  /** CPU time used when compiled code was last freed, and when the program's pages were. */
  #codeFreed: number
  #programFreed: number

  constructor(cpuUsedMs: number) {
    this.#used = cpuUsedMs
    this.#codeFreed = cpuUsedMs
    this.#programFreed = cpuUsedMs
  }

  /** Called every `idleCheckMs` with the CPU time used so far. */
  poll(cpuUsedMs: number): Collection | undefined {
    const busy = cpuUsedMs - this.#used > limits.idleCheckMs * limits.idleCpuShare
    this.#used = cpuUsedMs
    if (this.done && cpuUsedMs - this.#programFreed >= limits.freeProgramCpuMs) this.#idlePolls = LITTLE_GARBAGE
    this.#idlePolls = busy ? 0 : this.#idlePolls + 1
    if (this.#idlePolls === 1) return "garbage"
    if (this.#idlePolls !== LONG_IDLE_POLLS) return undefined
    this.#programFreed = cpuUsedMs
    if (cpuUsedMs - this.#codeFreed < limits.freeCodeCpuMs) return "program"
    this.#codeFreed = cpuUsedMs
    return "code"
  }

  /** The collections use the CPU as well, and must not count as work. */
  discount(ms: number): void {
    this.#used += ms
    this.#programFreed += ms
  }

  /** Everything has been freed: no need to poll before there is work again. */
  get done(): boolean {
    return this.#idlePolls >= LONG_IDLE_POLLS
  }
}

/**
 * Bun holds on to the memory of finished work until much more has gathered; an idle daemon frees it. `forget` drops our
 * own caches with it. Compiled code goes only after a long idle period that follows much work: the next turn runs without
 * it at first, and after a few short turns that costs more than it gives. Then `dropProgram` is called, too.
 * Returns what to call when there is work: it polls from then on until everything has been freed.
 */
export function collectWhenIdle(forget: () => void, dropProgram: () => void): () => void {
  const idle = new IdleDetector(cpuUsedMs())
  let timer: Timer | undefined
  const timed = (work: () => void) => {
    const before = cpuUsedMs()
    work()
    idle.discount(cpuUsedMs() - before)
  }
  const collect = (due: Collection) => {
    if (due === "program") return timed(dropProgram)
    timed(() => {
      forget()
      if (due === "code") Bun.shrink()
      Bun.gc(true)
    })
    // The first collection frees to the allocator; the second makes the allocator return it to the system.
    const again = () => {
      Bun.gc(true)
      if (due === "code") dropProgram()
    }
    setTimeout(() => timed(again), AGAIN_MS).unref()
  }
  const look = () => {
    const due = idle.poll(cpuUsedMs())
    if (due !== undefined) collect(due)
    if (!idle.done) return
    clearInterval(timer)
    timer = undefined
  }
  return () => {
    timer ??= setInterval(look, limits.idleCheckMs).unref()
  }
}

export function cpuUsedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
