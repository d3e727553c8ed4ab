import { setImmediate } from "node:timers/promises"
import { limits } from "@sandbox-agent/schema/limits"
import { changeWhenFull, emptyWal } from "./change-when-full.ts"
import type { LiveDatabase } from "./live-database.ts"
import { MARK_DELETED, purgeStep } from "./purge.ts"
import { isFull, type Reserve } from "./reserve.ts"

/** Removes what was deleted in small steps between other work, and gives the room back to the disk. */
export class Purger {
  readonly #running = new Set<Promise<void>>()
  closed = false
  /** Told when something was deleted that could not be overwritten. */
  onLeft: (() => void) | undefined

  constructor(
    private readonly db: LiveDatabase,
    private readonly reserve: Reserve | undefined,
    /** Repairs the file if that is what an error asks for, and waits for it; false: it cannot be. */
    private readonly repaired: (error?: unknown) => Promise<boolean> = async () => false,
  ) {}

  /** All rows of a session. `tight`: the disk or the store is full, and every page counts. */
  purge(uid: number, tight: boolean): Promise<void> {
    const run = this.#purge(uid, tight).finally(() => this.#running.delete(run))
    this.#running.add(run)
    return run
  }

  /** Those under way are settled, well or not: whoever asked for one learns it. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running)
  }

  async #purge(uid: number, tight: boolean): Promise<void> {
    // Before anything of it goes: what a kill leaves is then removed at the next start.
    await this.#change(() => this.db.run(MARK_DELETED, [uid]))
    for (let left = true; left && !this.closed; ) {
      await this.#change(() => {
        left = !purgeStep(this.db, uid)
      })
      if (tight) emptyWal(this.db)
      await setImmediate()
    }
    await this.#shrinkFile(tight ? 0 : limits.storeFreePages)
  }

  async #change(change: () => void): Promise<void> {
    await this.repaired()
    if (this.closed) return
    try {
      if (!changeWhenFull(this.db, this.reserve, change)) this.onLeft?.()
    } catch (error) {
      if (!(await this.repaired(error))) throw error
      await this.#change(change)
    }
  }

  /** Free pages beyond those kept for what comes next. */
  async #shrinkFile(keep: number): Promise<void> {
    while (!this.closed) {
      await this.repaired()
      const free = this.#free
      if (free <= keep) return
      try {
        this.db.run(`PRAGMA incremental_vacuum(${Math.min(limits.vacuumPages, free - keep)})`)
        if (keep === 0) emptyWal(this.db)
      } catch (error) {
        // Moving pages needs some room itself; they are used again as they are.
        if (isFull(error)) return
        if (!(await this.repaired(error))) throw error
      }
      // A file from before there was a way to give pages back.
      if (this.#free === free) return
      await setImmediate()
    }
  }

  get #free(): number {
    return (this.db.query("PRAGMA freelist_count").get() as { freelist_count: number }).freelist_count
  }
}
