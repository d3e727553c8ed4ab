import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { removeBackups } from "./backups.ts"
import { emptyWal } from "./change-when-full.ts"
import { CommitSchedule, type Due } from "./commit-schedule.ts"
import { isBroken } from "./damage.ts"
import { openDatabase, reopen, type StoreOptions } from "./database.ts"
import { frame } from "./frames.ts"
import { LiveDatabase } from "./live-database.ts"
import { LiveRepair } from "./live-repair.ts"
import type { Log, Page } from "./log.ts"
import { LogWriter } from "./log-writer.ts"
import { databasePath } from "./open-error.ts"
import { PendingLog } from "./pending.ts"
import { PendingWrites, type Write } from "./pending-writes.ts"
import { Purger } from "./purger.ts"
import type { Repaired } from "./repair.ts"
import { isDiskFull, isFull, type Reserve } from "./reserve.ts"

/** Attempts to commit before the store calls itself failing, and the pause between them. */
const COMMIT_ATTEMPTS = 3
const RETRY_MS = 250

interface Waiter {
  resolve(): void
  reject(error: unknown): void
}

/**
 * The only writer. Changes are collected and committed together at the end of the tick; nothing is visible to
 * readers, to clients or to agents before COMMIT.
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
  /** While the file is being repaired nothing is written. */
  #repairing: Promise<void> | undefined
  readonly #unlock: () => void
  readonly #pending = new Map<number, PendingLog>()
  readonly #saves = new Set<{ save(): void }>()
  readonly #writes = new PendingWrites()
  #waiters: Waiter[] = []
  readonly #schedule = new CommitSchedule(
    () => this.#commitIfDue(),
    () => this.#waiters.length > 0,
  )
  #pos: number
  #failures = 0
  #failing = false
  #retry: Timer | undefined
  #room: Promise<void> | undefined
  #roomAgain: (() => void) | undefined
  #events = 0
  #closed = false
  readonly #writer: LogWriter
  /** Told how many bytes of events and native lines a commit wrote. */
  onWritten: ((bytes: number) => void) | undefined
  /** Told when the disk takes no more, and when it does again. */
  onFailing: ((failing: boolean, error?: unknown) => void) | undefined
  /** Told when the file was damaged and has been repaired, or could not be. */
  onRepaired: ((repaired: Repaired) => void) | undefined
  onRepairFailed: ((error: unknown) => void) | undefined
  /** Told when no room could be kept for deleting. */
  onNoReserve: ((error: unknown) => void) | undefined
  /** Told when the WAL could not be emptied; the next commits overwrite it. */
  onScrubFailed: ((error: unknown) => void) | undefined
  readonly stats = { commits: 0, events: 0, bytes: 0, failures: 0 }

  constructor(options: StoreOptions) {
    const { db, pos, reserve, warnings, unlock } = openDatabase(options)
    this.db = new LiveDatabase(db)
    this.directory = options.directory
    this.kind = options.kind
    this.warnings = warnings
    this.#reserve = reserve
    if (options.kind === "sqlite")
      this.#repair = new LiveRepair(this.db, databasePath(options.directory), () => reopen(options))
    this.#purger = new Purger(this.db, reserve, (error) => this.#repaired(error))
    this.#purger.onLeft = () => this.onScrubFailed?.(new Error("there was no room to overwrite it"))
    this.#unlock = unlock
    this.#pos = pos
    this.#writer = new LogWriter(this.db)
  }

  get failing(): boolean {
    return this.#failing
  }

  /** Changes of rows that are not on disk yet. */
  get waitingChanges(): number {
    return this.#writes.size
  }

  /** Where the next committed event of any log will stand: no event has this place or a later one. */
  get nextPos(): number {
    return this.#pos
  }

  /** Adds one event to a log. `json` is encoded once, here it becomes the frame that is stored and sent. */
  append(log: Log, sequence: number, json: string, raw: number): void {
    this.#of(log).event(sequence, frame(sequence, json), raw)
    this.#events++
    this.#ask("soon")
  }

  /** Commits early when much has gathered. Only between transitions: an event must not be on disk without its rows. */
  flushFull(): void {
    if (this.#events >= limits.flushEvents && this.#retry === undefined) this.flush()
  }

  breakPage(log: Log, nextSequence: number): void {
    this.#pending.get(log.uid)?.break(nextSequence)
  }

  /** Keeps one native line. `direction`: `<` from the agent, `>` to it. */
  raw(log: Log, n: number, direction: "<" | ">", line: string): void {
    this.#of(log).raw(n, direction + line)
    // Nobody waits for a line that says nothing: it goes with what comes next.
    this.#ask("later")
  }

  /** A change of state rows, committed together with the events that caused it. */
  write(change: Write): void {
    this.#writes.add(change)
    this.#ask("now")
  }

  /** The same for one row that `change` writes whole: saved again before the commit, it is written once. */
  saveRow(row: string, change: Write): void {
    this.#writes.save(row, change)
    this.#ask("now")
  }

  /** Writes this row once at the next commit, however often it changed before. */
  saveLater(row: { save(): void }): void {
    this.#saves.add(row)
    this.#ask("now")
  }

  /** What is changed inside is waited for by nobody: it is committed with what comes next, or after a moment. */
  deferred(change: () => void): void {
    this.#schedule.deferred(change)
  }

  /** Resolves when all that was added before is on disk. */
  committed(): Promise<void> {
    if (this.#idle()) return Promise.resolve()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiters.push({ resolve, reject })
    this.#ask("now")
    return promise
  }

  /** Defined while too much waits for the disk: an agent's pipe is not read until it resolves. */
  room(log: Log): Promise<void> | undefined {
    if (this.#failing || (this.#pending.get(log.uid)?.chars ?? 0) > limits.pendingChars) {
      this.#room ??= new Promise((resolve) => {
        this.#roomAgain = resolve
      })
      return this.#room
    }
    return undefined
  }

  flush(): void {
    this.#events = 0
    if (this.#repairing !== undefined) return
    if (this.#idle()) {
      for (const waiter of this.#takeWaiters()) waiter.resolve()
      return
    }
    const pages: [Log, Page][] = []
    try {
      this.db.run("BEGIN IMMEDIATE")
      let pos = this.#pos
      for (const pending of this.#pending.values()) pos = this.#writer.write(pending, pos, pages)
      this.#writes.run()
      for (const row of this.#saves) row.save()
      this.db.run("COMMIT")
      this.#pos = pos
    } catch (error) {
      if (this.db.inTransaction) this.db.run("ROLLBACK")
      if (isBroken(error) && this.#startRepair()) return
      this.#failed(error)
      return
    }
    this.#pending.clear()
    this.#writes.clear()
    this.#saves.clear()
    // Who is woken below may write, and wait for the next commit: not for this one.
    const waiters = this.#takeWaiters()
    const { events } = this.stats
    this.stats.commits++
    for (const [log, page] of pages) {
      log.commit(page)
      this.stats.events += page.count
      this.stats.bytes += page.bytes.length
    }
    this.#schedule.committed(this.stats.events - events)
    // Agents come before readers: they work while readers are written to.
    for (const waiter of waiters) waiter.resolve()
    for (const [log] of pages) log.wake()
    this.#recovered()
    this.onWritten?.(this.#writer.written)
    this.#writer.written = 0
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
      this.onRepaired?.(repaired)
      return use()
    }
  }

  /** False: it was tried a moment ago, or there is no file. */
  #startRepair(): boolean {
    const repair = this.#repair
    if (this.#repairing !== undefined) return true
    if (repair === undefined || !repair.isAllowed || this.#closed) return false
    const run = repair.run().then(
      (repaired) => repaired && this.onRepaired?.(repaired),
      (error: unknown) => this.onRepairFailed?.(error),
    )
    this.#repairing = run.then(() => {
      this.#repairing = undefined
      if (!this.#closed) this.flush()
    })
    return true
  }

  /** Waits until the file can be written again; false when it cannot be repaired. */
  async #repaired(error: unknown): Promise<boolean> {
    const may = isBroken(error) && this.#startRepair()
    await this.#repairing
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
    const tight = this.#failing
    if (tight) this.#pending.delete(uid)
    else this.flush()
    try {
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
    try {
      this.db.run("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      // A full disk: the WAL stays beside the file and is read at the next start.
    }
    this.db.close()
    this.#unlock()
  }

  #idle(): boolean {
    return this.#pending.size === 0 && this.#writes.size === 0 && this.#saves.size === 0
  }

  #of(log: Log): PendingLog {
    let pending = this.#pending.get(log.uid)
    if (pending === undefined) {
      pending = new PendingLog(log)
      this.#pending.set(log.uid, pending)
    }
    return pending
  }

  #ask(due: Due): void {
    if (!this.#closed) this.#schedule.ask(due)
  }

  /** After a failure only the timer tries again: agents go on writing and would use up the attempts in a moment. */
  #commitIfDue(): void {
    if (!this.#closed && this.#retry === undefined) this.flush()
  }

  #failed(error: unknown): void {
    this.stats.failures++
    this.#failures++
    if (this.#failures === 1 && isFull(error)) this.#checkpointInReserve()
    if (this.#failures >= COMMIT_ATTEMPTS && !this.#failing) {
      this.#failing = true
      this.onFailing?.(true, error)
    }
    if (this.#failing) {
      const reason = unavailable(error)
      for (const waiter of this.#takeWaiters()) waiter.reject(reason)
    }
    if (this.#closed || this.#retry !== undefined) return
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      if (!this.#closed) this.flush()
    }, RETRY_MS)
    this.#retry.unref()
  }

  /** What stands in the WAL and in the file takes twice the room, and the file cannot grow: it is lent some for that. */
  #checkpointInReserve(): void {
    if (this.#reserve === undefined || !isDiskFull(this.directory)) return
    this.#reserve.release()
    emptyWal(this.db)
    this.#reserve.keepNow()
  }

  #recovered(): void {
    this.#failures = 0
    clearTimeout(this.#retry)
    this.#retry = undefined
    if (this.#failing) {
      this.#failing = false
      this.keepReserve()
      this.onFailing?.(false)
    }
    this.#roomAgain?.()
    this.#room = undefined
    this.#roomAgain = undefined
  }

  #takeWaiters(): Waiter[] {
    const waiters = this.#waiters
    this.#waiters = []
    return waiters
  }
}

const unavailable = (error: unknown): SandboxAgentError =>
  new SandboxAgentError(
    "unavailable",
    `the store cannot be written (${error instanceof Error ? error.message : String(error)}); reading goes on. What was asked is kept in memory and will be done once there is room: read the state before asking again`,
  )
