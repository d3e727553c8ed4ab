import { randomBytes } from "node:crypto"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { type Intervals, intervals } from "@sandbox-agent/schema/intervals"
import { limits } from "@sandbox-agent/schema/limits"
import { Confinement } from "../files/confinement.ts"
import { ConfigRows } from "../store/config-rows.ts"
import { lastIssued } from "../store/last-issued.ts"
import { LogReader } from "../store/reader.ts"
import { cutOldEvents, type RetentionOptions } from "../store/retention.ts"
import type { Rows } from "../store/rows.ts"
import type { Store } from "../store/store.ts"
import { advance } from "./advance.ts"
import { type AgentUser, agentDataDirectory } from "./agent-user.ts"
import { attachmentRoot, removeFolders, storeFolder, strayFolders } from "./attachment-folders.ts"
import { Clock } from "./clock.ts"
import type { Context, Logger } from "./context.ts"
import { type Deadlines, deadlinesOf } from "./deadline.ts"
import type { Driver } from "./driver.ts"
import { createGlobalLog } from "./global-log.ts"
import { Ids } from "./ids.ts"
import { messageReturned } from "./messages.ts"
import { killProcess } from "./process.ts"
import { resumeQueued, settleLastRun } from "./recover.ts"
import { Sessions } from "./sessions.ts"
import type { Supervisor } from "./supervisor.ts"
import { endTurn } from "./turns.ts"

export interface CoreOptions {
  store: Store
  rows: Rows
  drivers: ReadonlyMap<string, Driver>
  supervisor: Supervisor
  log: Logger
  directory: string
  /** The folder with the attachments of its sessions. */
  attachments?: string
  defaultDirectory: string
  agentUser?: AgentUser | undefined
  files?: Confinement
  idleStopMs: number
  retention: RetentionOptions
  intervals?: Intervals
  deadlines?: Partial<Deadlines>
}

/** The identity of a data directory: part of the tag of its child processes, the same over restarts. */
export function daemonIdOf(rows: Rows): string {
  const known = rows.meta("daemon_id")
  if (known !== undefined) return known
  const id = randomBytes(8).toString("hex")
  rows.setMeta("daemon_id", id)
  return id
}

/** The core of one daemon: settles what the last run left, then serves until it is stopped. */
export class Core {
  readonly context: Context
  readonly sessions: Sessions
  /** Attachments of sessions that were deleted just before the last daemon was killed. */
  #stray: string[] = []
  #timer: Timer | undefined
  /** A tidy-up comes within `tidyMs`, or is under way. */
  #soon = false

  constructor(readonly options: CoreOptions) {
    const { store, rows, intervals: given = intervals } = options
    const clock = new Clock()
    const ids = new Ids()
    const last = lastIssued(store.db)
    if (last.time !== undefined) clock.lift(last.time)
    for (const id of last.ids) ids.lift(id)
    this.context = {
      ...options,
      intervals: given,
      attachments: options.attachments ?? attachmentRoot(agentDataDirectory(options), "sqlite"),
      deadlines: { ...deadlinesOf(given), ...options.deadlines },
      files: options.files ?? new Confinement(),
      reader: new LogReader(store.db),
      config: new ConfigRows(store.db),
      skillSources: storeFolder(join(agentDataDirectory(options), "agents"), ".skills", store.kind),
      clock,
      ids,
      global: createGlobalLog(store, rows, clock),
      faults: new Map(),
      agentStats: new Map(),
      open: new Set(),
      stopping: false,
      advance,
    }
    this.sessions = new Sessions(this.context)
    this.context.reader.onDamage = (uid, detail) => {
      const session = [...this.sessions.loaded].find((s) => s.record.uid === uid)?.record.id
      options.log("error", detail, { session })
    }
    store.onScrubFailed = (error) =>
      options.log("warn", "what was deleted may still be in the write-ahead log", { error: String(error) })
    store.onNoRedo = (error) =>
      options.log("warn", "the redo file cannot be written: commits take longer", { error: String(error) })
    store.onNoReserve = (error) =>
      options.log("warn", "no room is kept for deleting on a full disk", { error: String(error) })
    store.onFailing = (failing, error) => this.#storeFailing(failing, error)
  }

  /** Before anyone can ask: every turn and request of the last run is ended in its log. */
  recover(): void {
    const { store, rows, log } = this.context
    for (const session of rows.unreadable())
      log("error", "a session is damaged: it cannot be used, the others can", { session })
    const { directory } = this.context
    const places = agentDataDirectory(this.context)
    // One in memory that had our number is gone, and what it left is not of our sessions.
    if (store.kind === "memory")
      for (const [place, kind] of [
        [places, "attachments"],
        [directory, "processes"],
      ] as const)
        rmSync(storeFolder(place, kind, "memory"), { recursive: true, force: true })
    this.#stray = [
      ...strayFolders(
        join(places, "attachments"),
        // Of a daemon that has its sessions in memory none of these are.
        (uid) => store.kind === "memory" || rows.isUid(uid),
      ),
      ...strayFolders(join(directory, "processes"), () => true),
    ]
    const settled = settleLastRun(this.sessions)
    store.flush()
    if (settled > 0) log("info", "sessions of the last run were settled", { sessions: settled })
  }

  /** After listening: queued messages go on. */
  start(): void {
    removeFolders(this.#stray).catch((error: unknown) =>
      this.context.log("warn", "attachments of deleted sessions could not be removed", { error: String(error) }),
    )
    this.#purgeDeleted().catch((error: unknown) =>
      this.context.log("warn", "deleted sessions are still in the file", { error: String(error) }),
    )
    resumeQueued(this.sessions).catch((error: unknown) =>
      this.context.log("error", "queued messages could not be resumed", { error: String(error) }),
    )
    this.worked()
  }

  /** Those that the last daemon did not come to; and room is kept for deleting others. */
  async #purgeDeleted(): Promise<void> {
    const { store, rows } = this.context
    store.keepReserve()
    for (const uid of rows.deletedUids()) await store.purge(uid)
  }

  /** Something was written or asked for: what it leaves is tidied up soon, and then nothing is done until it must be. */
  worked(): void {
    if (this.#soon || this.context.stopping) return
    this.#soon = true
    this.#tidyIn(this.context.intervals.tidyMs)
  }

  #tidyIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#soon = true // what tidying writes is no work
      this.tidy()
      this.context.store.flush()
      this.#soon = false
      const due = Math.min(this.sessions.tidyDueMs(), this.#retains ? limits.retentionMs : Number.POSITIVE_INFINITY)
      if (Number.isFinite(due)) this.#tidyIn(Math.max(due, this.context.intervals.tidyMs))
    }, ms).unref()
  }

  get #retains(): boolean {
    const { days, bytes } = this.options.retention
    return days !== undefined || bytes !== undefined
  }

  tidy(): void {
    const { store, rows, global } = this.context
    this.sessions.tidy()
    if (!store.failing && global.log.last - global.log.first > limits.globalEvents)
      store.write(() => {
        global.log.first = rows.cutLog(global.log.uid, global.log.last - limits.globalEvents)
      })
    const { retention } = this.options
    if (store.failing || !this.#retains) return
    store.write(() => {
      for (const { uid, firstSeq } of cutOldEvents(store.db, retention, Date.now()))
        for (const s of this.sessions.loaded) if (s.record.uid === uid) s.log.first = firstSeq
    })
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    try {
      await this.sessions.stop()
      this.context.store.flush()
      await this.context.store.purged()
    } finally {
      this.context.global.log.close()
    }
  }

  /** The disk takes no more: agents must not go on doing what nobody can record. */
  #storeFailing(failing: boolean, error?: unknown): void {
    const { log } = this.context
    if (!failing) {
      log("info", "the store can be written again")
      for (const s of this.sessions.loaded) advance(s)
      return
    }
    log("error", "the store cannot be written: turns are interrupted, reading goes on", { error: String(error) })
    for (const s of this.sessions.loaded) {
      if (s.turn === undefined) continue
      // One that no agent knows of goes once there is room.
      if (s.turn.unsent && s.sending !== undefined) messageReturned(s, s.sending.id)
      else killProcess(s)
      endTurn(s, { stop: "error", error: { code: "unavailable", message: "the store could not be written" } }, true)
    }
  }
}
