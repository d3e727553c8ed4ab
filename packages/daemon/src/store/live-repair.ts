import type { Database } from "bun:sqlite"
import { setImmediate } from "node:timers/promises"
import { limits } from "@sandbox-agent/schema/limits"
import type { LiveDatabase } from "./live-database.ts"
import { type Repaired, repair, repairNow, replaceDamaged } from "./repair.ts"

/** Repairs the file of a store that is in use. Nothing is written meanwhile, and reading goes on. */
export class LiveRepair {
  #lastTry = Number.NEGATIVE_INFINITY
  #running: Promise<void> | undefined
  closed = false

  constructor(
    private readonly db: LiveDatabase,
    private readonly path: string,
    /** Opens the file that took the place of the damaged one. */
    private readonly open: () => Database,
  ) {}

  /** A file that keeps being damaged is not copied again and again. */
  get isAllowed(): boolean {
    return performance.now() - this.#lastTry > limits.repairAgainMs
  }

  /** While one is under way nothing is written. */
  get running(): Promise<void> | undefined {
    return this.#running
  }

  /** False: it was tried a moment ago. `done` is called before anybody else who waits for it goes on. */
  start(done: (repaired: Repaired | undefined, error?: unknown) => void): boolean {
    if (this.#running !== undefined) return true
    if (this.closed || !this.isAllowed) return false
    const end = (repaired: Repaired | undefined, error?: unknown) => {
      this.#running = undefined
      done(repaired, error)
    }
    this.#running = this.#run().then(end, (error: unknown) => end(undefined, error))
    return true
  }

  /** Between other work. Undefined when the store was closed meanwhile. */
  async #run(): Promise<Repaired | undefined> {
    this.#lastTry = performance.now()
    const steps = repair(this.path)
    let step = steps.next()
    while (!step.done) {
      await setImmediate()
      if (this.closed) {
        steps.return(undefined as never)
        return undefined
      }
      step = steps.next()
    }
    const { value } = step
    const kept = this.#replace(() => replaceDamaged(this.path))
    return { ...value, kept }
  }

  /** At once: before anybody is served. Undefined where nothing could be saved. */
  now(): Repaired | undefined {
    this.#lastTry = performance.now()
    return this.#replace(() => repairNow(this.path))
  }

  /** Goes on with the file as it was if nothing could be put in its place. */
  #replace<T>(replace: () => T): T {
    const done: { value?: T; error?: unknown } = {}
    this.db.replace(() => {
      try {
        done.value = replace()
      } catch (error) {
        done.error = error
      }
      return this.open()
    })
    if (done.error !== undefined) throw done.error
    return done.value as T
  }
}
