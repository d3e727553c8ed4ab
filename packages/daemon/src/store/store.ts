import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { removeBackups } from "./backups.ts"
import { Behind } from "./behind.ts"
import { emptyWal } from "./change-when-full.ts"
import { afterMicrotasks, CommitSchedule, type Due } from "./commit-schedule.ts"
import { isBroken } from "./damage.ts"
import { openDatabase, reopen, type StoreOptions } from "./database.ts"
import { Failures } from "./failures.ts"
import { frame } from "./frames.ts"
import { LiveDatabase } from "./live-database.ts"
import { LiveRepair } from "./live-repair.ts"
import type { Log, Page } from "./log.ts"
import { NextCommit } from "./next-commit.ts"
import { databasePath } from "./open-error.ts"
import type { Write } from "./pending-writes.ts"
import { Purger } from "./purger.ts"
import { removeRefused } from "./redo.ts"
import type { Repaired } from "./repair.ts"
import { SAVE_REDO_NUMBER } from "./replay.ts"
import { isDiskFull, isFull, type Reserve } from "./reserve.ts"
import { Waiters } from "./waiters.ts"

/**
 * The only writer. Changes are collected and committed together at the end of the tick; nothing is visible to
 * readers, to clients or to agents before it is on disk: in the database, or if it is small in the redo file first.
 */
export class Store {
  readonly db: LiveDatabase
  readonly directory: string
  readonly kind: StoreOptions["kind"]
  /** What whoever runs the daemon has to know of how it was opened. */
  readonly warnings: readonly string[]
  readonly #reserve: Reserve | undefined
  readonly #purger: Purger
  readonly #repair: LiveRepair | undefined
  /** None in memory, and on a disk too full for it. */
  readonly #behind: Behind | undefined
  readonly #unlock: () => void
  readonly #next: NextCommit
  readonly #waiters = new Waiters()
  readonly #schedule = new CommitSchedule(
    () => this.#commitIfDue(),
    () => this.#waiters.size > 0,
  )
  #pos: number
  readonly #failures = new Failures(
    () => this.#tryAgain(),
    (failing, error) => {
      if (!failing) this.keepReserve()
      this.onFailing?.(failing, error)
    },
  )
  #events = 0
  #closed = false
  /** Told how many bytes of events and native lines a commit wrote. */
  onWritten: ((bytes: number) => void) | undefined
  /** Told when the disk takes no more, and when it does again. */
  onFailing: ((failing: boolean, error?: unknown) => void) | undefined
  /** Told when the file was damaged and has been repaired, or could not be. */
  onRepaired: ((repaired: Repaired) => void) | undefined
  onRepairFailed: ((error: unknown) => void) | undefined
  /** Told when the redo file cannot be written: commits then take longer. */
  onNoRedo: ((error: unknown) => void) | undefined
  /** Told when no room could be kept for deleting. */
  onNoReserve: ((error: unknown) => void) | undefined
  /** Told when the WAL could not be emptied; the next commits overwrite it. */
  onScrubFailed: ((error: unknown) => void) | undefined
  readonly stats = { commits: 0, events: 0, bytes: 0, failures: 0 }

  constructor(options: StoreOptions) {
    const { db, pos, redo, reserve, warnings, unlock } = openDatabase(options)
    this.db = new LiveDatabase(db)
    this.directory = options.directory
    this.kind = options.kind
    this.warnings = warnings
    this.#reserve = reserve
    if (options.kind === "sqlite")
      this.#repair = new LiveRepair(this.db, databasePath(options.directory), () => reopen(options))
    if (redo !== undefined) {
      this.#behind = new Behind(this.db, redo, reserve, () => this.#repair?.running !== undefined)
      this.#behind.onFailed = (error) => this.#notWritten(error)
      this.#behind.onNoRedo = (error) => this.onNoRedo?.(error)
      this.#behind.onNoReserve = (error) => this.onNoReserve?.(error)
    }
    this.#purger = new Purger(this.db, reserve, (error) => this.#repaired(error))
    this.#purger.onLeft = () => this.onScrubFailed?.(new Error("there was no room to overwrite it"))
    this.#unlock = unlock
    this.#pos = pos
    this.#next = new NextCommit(this.db)
  }

  get failing(): boolean {
    return this.#failures.failing
  }

  /** Changes of rows that are not on disk yet. */
  get waitingChanges(): number {
    return this.#next.writes.size
  }

  /** Where the next committed event of any log will stand: no event has this place or a later one. */
  get nextPos(): number {
    return this.#pos
  }

  /** Adds one event to a log. `json` is encoded once, here it becomes the frame that is stored and sent. */
  append(log: Log, sequence: number, json: string, raw: number): void {
    this.#next.of(log).event(sequence, frame(sequence, json), raw)
    this.#events++
    this.#ask("soon")
  }

  /** Commits early when much has gathered. Only between transitions: an event must not be on disk without its rows. */
  flushFull(): void {
    if (this.#events >= limits.flushEvents && !this.#failures.isPausing) this.flush()
  }

  breakPage(log: Log, nextSequence: number): void {
    this.#next.known(log.uid)?.break(nextSequence)
  }

  /** Keeps one native line. `direction`: `<` from the agent, `>` to it. */
  raw(log: Log, n: number, direction: "<" | ">", line: string): void {
    this.#next.of(log).raw(n, direction + line)
    // Nobody waits for a line that says nothing: it goes with what comes next.
    this.#ask("later")
  }

  /** A change of state rows, committed together with the events that caused it. */
  write(change: Write): void {
    this.#next.writes.add(change)
    this.#ask("now")
  }

  /** The same for one row that `change` writes whole: saved again before the commit, it is written once. */
  saveRow(row: string, change: Write): void {
    this.#next.writes.save(row, change)
    this.#ask("now")
  }

  /** Writes this row once at the next commit, however often it changed before. */
  saveLater(row: { save(): void }): void {
    this.#next.saves.add(row)
    this.#ask("now")
  }

  /** What is changed inside is waited for by nobody: it is committed with what comes next, or after a moment. */
  deferred(change: () => void): void {
    this.#schedule.deferred(change)
  }

  /** Resolves when all that was added before is on disk. */
  committed(): Promise<void> {
    if (this.#next.isEmpty) return Promise.resolve()
    const committed = this.#waiters.wait()
    this.#ask("now")
    return committed
  }

  /** Defined while too much waits for the disk: an agent's pipe is not read until it resolves. */
  room(log: Log): Promise<void> | undefined {
    const isFull = this.failing || (this.#next.known(log.uid)?.chars ?? 0) > limits.pendingChars
    return isFull ? this.#failures.room() : undefined
  }

  flush(): void {
    this.#events = 0
    if (this.#closed || this.#repair?.running !== undefined) return
    if (this.#next.isEmpty) {
      for (const waiter of this.#waiters.take()) waiter.resolve()
      return
    }
    const pages: [Log, Page][] = []
    try {
      if (!this.#putOff(pages) && !this.#commit(pages)) return
    } catch (error) {
      if (isFull(error)) this.#behind?.tighten()
      this.#notWritten(error)
      return
    }
    this.#next.clear()
    // Who is woken below may write, and wait for the next commit: not for this one.
    const waiters = this.#waiters.take()
    const { events } = this.stats
    this.stats.commits++
    for (const [log, page] of pages) {
      log.commit(page)
      this.stats.events += page.count
      this.stats.bytes += page.bytes.length
    }
    this.#schedule.committed(this.stats.events - events)
    const wake = () => {
      for (const [log] of pages) log.wake()
    }
    // Agents come before readers: they work while readers are written to.
    for (const waiter of waiters) waiter.resolve()
    if (waiters.length === 0) wake()
    else afterMicrotasks(wake)
    this.#failures.recovered()
    this.onWritten?.(this.#next.written)
  }

  /** A small commit of whole rows goes to the redo file, and into the database a moment later. */
  #putOff(pages: [Log, Page][]): boolean {
    const behind = this.#behind
    if (behind === undefined || !behind.hasRoom || !this.#next.isSmall) return false
    let pos = this.#pos
    const changes = this.db.collect(() => {
      pos = this.#next.write(pos, pages)
    })
    if (behind.add(changes)) {
      this.#pos = pos
      return true
    }
    pages.length = 0
    return false
  }

  /** False: what was put off before could not be brought in, and that was told. */
  #commit(pages: [Log, Page][]): boolean {
    if (!this.settle()) return false
    const behind = this.#behind
    const number = behind?.nextNumber()
    try {
      this.db.run("BEGIN IMMEDIATE")
      const pos = this.#next.write(this.#pos, pages)
      if (number !== undefined) this.db.query(SAVE_REDO_NUMBER).run(String(number))
      this.db.run("COMMIT")
      this.#pos = pos
      if (number !== undefined) behind?.passed(number)
      return true
    } finally {
      if (this.db.inTransaction) this.db.run("ROLLBACK")
    }
  }

  /** Brings into the database what is only in the redo file; false when that cannot be now, and it lacks what was told. */
  settle(): boolean {
    return this.#behind?.catchUp() ?? true
  }

  /** Damage was met in what all sessions share: it is repaired, if that was not tried a moment ago. */
  suspect(error: unknown): void {
    if (isBroken(error)) this.#startRepair()
  }

  /** Runs what a start reads and writes; where the file is damaged it is repaired, and this is run again. */
  withRepair<T>(use: () => T): T {
    try {
      return use()
    } catch (error) {
      if (!isBroken(error) || !this.#repair?.isAllowed) throw error
      const repaired = this.#repair.now()
      if (repaired === undefined) throw error
      this.#behind?.replaced()
      this.onRepaired?.(repaired)
      return use()
    }
  }

  /** False: it was tried a moment ago, or there is no file. */
  #startRepair(): boolean {
    const done = (repaired: Repaired | undefined, error: unknown) => {
      if (!this.#closed) this.#behind?.replaced()
      if (repaired !== undefined) this.onRepaired?.(repaired)
      if (error !== undefined) this.onRepairFailed?.(error)
      this.#tryAgain()
    }
    return this.#repair?.start(done) ?? false
  }

  /** Waits until the file can be written again; false when it cannot be repaired. */
  async #repaired(error: unknown): Promise<boolean> {
    const may = isBroken(error) && this.#startRepair()
    await this.#repair?.running
    return may
  }

  /** Gives back the pages that the database keeps in memory. */
  shrink(): void {
    if (!this.#closed) this.db.run("PRAGMA shrink_memory")
  }

  /** Keeps room on the disk, so that deleting works when there is none left. */
  keepReserve(): void {
    if (this.#closed) return
    this.#reserve?.keep().catch((error: unknown) => this.onNoReserve?.(error))
  }

  /** Writes a small file of ours, if need be in the room that is kept. */
  writeBeside(write: () => void): void {
    if (this.#reserve === undefined) return write()
    this.#reserve.lend(write)
    this.keepReserve()
  }

  /**
   * Removes all rows of a session that was marked as deleted, in steps of their own between other work. Where nothing
   * can be written, what its log still had to write is dropped with it; then the rest is tried again.
   */
  async purge(uid: number): Promise<void> {
    const tight = this.failing
    if (tight) this.#next.drop(uid)
    else this.flush()
    try {
      // What is put off must not come after it.
      await this.#repair?.running
      if (!this.settle()) throw unavailable(new Error("what was written before is not in it yet"))
      await this.#purger.purge(uid, tight)
    } catch (error) {
      throw isFull(error) ? unavailable(error) : error
    }
    this.scrub()
  }

  /** Purges under way have come to an end. */
  purged(): Promise<void> {
    return this.#purger.settled()
  }

  /** What was deleted is overwritten in the file, and still stands in the WAL: that is emptied once it is on disk. */
  scrub(): void {
    if (this.#closed || this.kind === "memory") return
    this.flush()
    try {
      removeRefused(this.directory)
      this.#behind?.scrub()
      this.db.run("PRAGMA wal_checkpoint(TRUNCATE)")
      // Copies of the file from before a migration have it, too.
      removeBackups(databasePath(this.directory))
    } catch (error) {
      this.onScrubFailed?.(error)
    }
  }

  close(): void {
    if (this.#closed) return
    this.flush()
    this.#closed = true
    this.#purger.closed = true
    if (this.#repair !== undefined) this.#repair.closed = true
    this.#behind?.close()
    try {
      this.db.run("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      // A full disk: the WAL stays beside the file and is read at the next start.
    }
    this.db.close()
    this.#unlock()
  }

  #ask(due: Due): void {
    if (!this.#closed) this.#schedule.ask(due)
  }

  #commitIfDue(): void {
    if (!this.#closed && !this.#failures.isPausing) this.flush()
  }

  #tryAgain(): void {
    if (this.#closed || !this.settle()) return
    if (this.#next.isEmpty) this.#failures.recovered()
    this.flush()
  }

  #failed(error: unknown): void {
    this.stats.failures++
    if (this.#failures.failed(error) && isFull(error)) this.#checkpointInReserve()
    if (this.failing) {
      const reason = unavailable(error)
      for (const waiter of this.#waiters.take()) waiter.reject(reason)
    }
    if (!this.#closed) this.#failures.tryLater()
  }

  /** The redo file, or what is in it, could not be written. */
  #notWritten(error: unknown): void {
    if (!isBroken(error) || !this.#startRepair()) this.#failed(error)
  }

  /** What stands in the WAL and in the file takes twice the room, and the file cannot grow: it is lent some for that. */
  #checkpointInReserve(): void {
    if (this.#reserve === undefined || !isDiskFull(this.directory)) return
    this.#reserve.release()
    emptyWal(this.db)
    this.#reserve.keepNow()
  }
}

const unavailable = (error: unknown): SandboxAgentError =>
  new SandboxAgentError(
    "unavailable",
    `the store cannot be written (${error instanceof Error ? error.message : String(error)}); reading goes on. What was asked is kept in memory and will be done once there is room: read the state before asking again`,
  )
