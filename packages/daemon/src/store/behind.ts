import { limits } from "@sandbox-agent/schema/limits"
import { changeWhenFull } from "./change-when-full.ts"
import type { Change, LiveDatabase } from "./live-database.ts"
import type { Redo } from "./redo.ts"
import { SAVE_REDO_NUMBER } from "./replay.ts"
import { isFull, type Reserve } from "./reserve.ts"

/** Commits that are in the redo file and not in the database yet. Whoever uses the database gets them there first. */
export class Behind {
  #changes: Change[] = []
  /** Runs out when nothing was added for a moment, and when something has waited long enough. */
  #rested: Timer | undefined
  #waited: Timer | undefined
  /** Number of the last commit that the database has; none while that is not known. */
  #caughtUp: number | undefined
  /** The file says nothing of the room that the database needs. */
  #tight = false
  /** The database did not take what is here: nothing more is put off until it does. */
  #stuck = false
  /** The redo file cannot be written, and not for want of room. */
  #useless = false
  #scrubDue = false
  /** Told what keeps it from catching up: what it has is in the redo file alone. */
  onFailed: ((error: unknown) => void) | undefined
  /** Told once why the redo file is written no more. */
  onNoRedo: ((error: unknown) => void) | undefined
  /** Told when no room could be kept for deleting. */
  onNoReserve: ((error: unknown) => void) | undefined

  constructor(
    private readonly db: LiveDatabase,
    private readonly redo: Redo,
    private readonly reserve: Reserve | undefined,
    /** While the file is being repaired nothing is written to it. */
    private readonly isPaused: () => boolean,
  ) {
    this.#caughtUp = redo.number
  }

  /** Whether one more small commit may be put off. */
  get hasRoom(): boolean {
    const isUsable = !this.#tight && !this.#stuck && !this.#useless && !this.isPaused()
    return isUsable && this.redo.size < limits.redoBytes
  }

  /** False when the redo file cannot be written: then the database is to be. */
  add(changes: readonly Change[]): boolean {
    try {
      this.redo.append(changes)
    } catch (error) {
      this.#tight = true
      this.#useless = !isFull(error)
      if (this.#useless) this.onNoRedo?.(error)
      return false
    }
    for (const change of changes) this.#changes.push(change)
    this.db.beforeUse = this.#use
    this.#rested = this.#rested?.refresh() ?? setTimeout(this.#use, limits.redoRestMs)
    this.#waited ??= setTimeout(this.#use, limits.redoMs)
    return true
  }

  /** False when that is not possible now. Then reading goes on with what is there, until it is called again. */
  catchUp(): boolean {
    if (this.#caughtUp === this.redo.number) return true
    if (this.isPaused()) return false
    this.#stopTimers()
    this.db.beforeUse = undefined
    this.#stuck = true
    let isTight = false
    try {
      isTight = this.#bringIn()
    } catch (error) {
      this.onFailed?.(error)
      return false
    }
    this.#stuck = false
    this.#changes = []
    this.#caughtUp = this.redo.number
    this.redo.done()
    if (this.#scrubDue) this.scrub()
    if (isTight) this.#keepReserve()
    return true
  }

  /** For a commit that goes into the database by itself: a start must not take what comes after it for the next one. */
  nextNumber(): number {
    return this.redo.number + 1
  }

  /** The database took that commit. */
  passed(number: number): void {
    this.redo.number = number
    this.#caughtUp = number
    this.#tight = false
  }

  /** The database had no room for a commit: it is to be asked itself from now on. */
  tighten(): void {
    this.#tight = true
  }

  /** There is another file in the place of the database: whether it knows the number is not sure. */
  replaced(): void {
    this.#caughtUp = undefined
    this.catchUp()
  }

  /** What was deleted may stand in the redo file, too: if not now, it goes from there once the database has the rest. */
  scrub(): void {
    this.#scrubDue = true
    if (this.redo.size > 0 && !this.catchUp()) return
    this.#scrubDue = false
    this.redo.scrub()
  }

  close(): void {
    this.catchUp()
    this.#useless = true
    this.#stopTimers()
    this.db.beforeUse = undefined
    this.redo.close()
  }

  readonly #use = (): void => {
    this.catchUp()
  }

  #stopTimers(): void {
    clearTimeout(this.#rested)
    clearTimeout(this.#waited)
    this.#rested = undefined
    this.#waited = undefined
  }

  /** What was said to be on disk has to get there: if need be in the room that is kept for deleting. Then it is true. */
  #bringIn(): boolean {
    const change = () => {
      for (const { statement, values } of this.#changes) statement.run(...values)
      this.db.query(SAVE_REDO_NUMBER).run(String(this.redo.number))
    }
    try {
      this.db.change(change)
      return false
    } catch (error) {
      if (!isFull(error)) throw error
    }
    this.#tight = true
    changeWhenFull(this.db, this.reserve, change)
    return true
  }

  #keepReserve(): void {
    try {
      this.reserve?.keepNow()
    } catch (error) {
      this.onNoReserve?.(error)
    }
  }
}
