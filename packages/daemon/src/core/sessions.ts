import { rm } from "node:fs/promises"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Session as SessionView } from "@sandbox-agent/schema/session"
import type { TurnErrorCode } from "@sandbox-agent/schema/turn-error-codes"
import { damagedSession, isCorrupt, isDamage } from "../store/damage.ts"
import type { LoadedSession, SessionRecord } from "../store/row-types.ts"
import { attachmentDirectory } from "./attachments.ts"
import type { Wanted } from "./config/applied.ts"
import type { Context } from "./context.ts"
import { withDeadline } from "./deadline.ts"
import { assertDirectory } from "./directory.ts"
import type { Driver } from "./driver.ts"
import { endSession } from "./ending.ts"
import { canComeBack, isIdle, stopLongestIdle } from "./idle-agents.ts"
import { load } from "./load.ts"
import { tellLostEvents } from "./lost-events.ts"
import { hostFor } from "./opening.ts"
import { closeProcess, killProcess } from "./process.ts"
import { refold } from "./refold.ts"
import { Session } from "./session.ts"
import { settle } from "./settle.ts"
import { viewOf } from "./view.ts"

/** All sessions of this daemon: creates, finds, lists, deletes. Loaded on first touch, dropped when nothing happens in them. */
export class Sessions {
  readonly #loaded = new Map<string, Session>()
  #nextUid: number
  /** Sessions that may have lost rows when the store was repaired. */
  #unfolded = new Set<number>()

  constructor(readonly context: Context) {
    this.#nextUid = context.rows.maxUid() + 1
    this.repaired()
  }

  /** The store was repaired: rows that the log tells of are made again, of those in use now, of others when they are loaded. */
  repaired(): void {
    this.#unfolded = new Set(JSON.parse(this.context.rows.meta("refold") ?? "[]") as number[])
    for (const s of this.#loaded.values()) {
      s.add()
      this.#refold(s)
    }
  }

  #refold(s: Session): void {
    if (!this.#unfolded.delete(s.record.uid)) return
    tellLostEvents(s, refold(s).holes)
    const left = JSON.stringify([...this.#unfolded])
    this.context.store.write(() => this.context.rows.setMeta("refold", left))
  }

  get loaded(): Iterable<Session> {
    return this.#loaded.values()
  }

  get(id: string): Session {
    const known = this.#loaded.get(id)
    if (known !== undefined) {
      known.touched = performance.now()
      return known
    }
    try {
      const row = this.context.rows.sessionById(id)
      if (row === undefined)
        throw new SandboxAgentError("session_not_found", `there is no session ${id}`, { sessionId: id })
      const s = load(this.context, row)
      const kept = this.#keep(s)
      this.#refold(s)
      return kept
    } catch (error) {
      this.forget(id)
      if (!isCorrupt(error)) throw error
      this.context.store.suspect(error)
      throw damagedSession(id, error)
    }
  }

  /** As it is on disk: what a client has seen must not be undone by a crash. */
  onDisk(id: string): Session {
    const { store, rows } = this.context
    store.flush()
    const s = this.get(id)
    if (store.failing && rows.sessionById(id) === undefined) throw unwritable()
    return s
  }

  /** Refuses a directory that no session could work in. */
  assertDirectory(field: string, path: string): Promise<void> {
    return assertDirectory(field, path, this.context)
  }

  /** For one whose client names none. */
  newId(): string {
    return this.context.ids.next("ses")
  }

  /** One that cannot be read whole is not kept half. */
  forget(id: string): void {
    this.#loaded.delete(id)
  }

  driver(agent: string): Driver {
    const driver = this.context.drivers.get(agent)
    if (driver !== undefined) return driver
    throw new SandboxAgentError("unsupported_agent", `there is no agent ${JSON.stringify(agent)}`, {
      agent,
      agents: [...this.context.drivers.keys()],
    })
  }

  list(options: { limit?: number; cursor?: string; agent?: string; status?: string }): {
    sessions: SessionView[]
    nextCursor?: string
  } {
    this.context.store.flush() // a session just created or changed is listed as it is
    const limit = options.limit ?? limits.sessionsPageDefault
    const before = options.cursor === undefined ? undefined : Number(options.cursor)
    const found = this.context.rows.listUids(before, limit + 1, options.agent, options.status)
    const page = found.slice(0, limit)
    const sessions = page.flatMap(({ uid, id }) => {
      const s = this.#loaded.get(id) ?? this.#peek(uid, id)
      return s === undefined ? [] : [viewOf(s)]
    })
    return { sessions, nextCursor: found.length > limit ? String(page.at(-1)?.uid) : undefined }
  }

  /** By its id, because also what is too damaged to be read can be deleted. */
  async deleteById(id: string): Promise<void> {
    let s: Session
    try {
      s = this.get(id)
    } catch (error) {
      if (!isDamage(error)) throw error
      return this.#deleteDamaged(id)
    }
    return this.delete(s)
  }

  async #deleteDamaged(id: string): Promise<void> {
    const { rows, store, global } = this.context
    const uid = rows.uidOf(id)
    if (uid === undefined) throw new SandboxAgentError("session_not_found", `there is no session ${id}`)
    global.append("session.deleted", id, {})
    this.context.log("info", "session deleted", { session: id })
    store.write(() => rows.markDeleted(uid))
    await store.committed()
    this.#purge(uid, id)
  }

  async delete(s: Session): Promise<void> {
    if (this.context.stopping) throw new SandboxAgentError("unavailable", "the daemon is stopping")
    if (s.record.status !== "ended")
      endSession(s, { reason: "terminated", terminated_by: "daemon" }, { stop: "cancelled", forced: true })
    const stopped = closeProcess(s)
    this.#loaded.delete(s.record.id)
    this.context.global.append("session.deleted", s.record.id, {})
    this.context.log("info", "session deleted", { session: s.record.id })
    this.context.store.flush()
    s.deleted = true
    this.context.store.write(() => this.context.rows.markDeleted(s.record.uid))
    this.context.store.flush() // at once: a request that comes now must not load it again
    await s.committed().catch(async (error: unknown) => {
      if (!this.context.store.failing) throw error
      await this.context.store.purge(s.record.uid)
    })
    s.log.close()
    await stopped
    // Its id may have been taken again while the old process went.
    if (!this.#loaded.has(s.record.id)) await this.#forget(s)
    this.#purgeOnceRead(s)
  }

  /** Has its driver remove what it kept. A failure is logged, and the session is deleted all the same. */
  async #forget(s: Session): Promise<void> {
    const forgotten = s.driver?.forget?.(s.record.id, hostFor(this.context, s.record.agent))
    if (forgotten === undefined) return
    await withDeadline(forgotten, this.context.deadlines.closeMs, "what the driver kept was not removed").catch(
      (error: unknown) =>
        this.context.log("warn", "a driver could not forget a session", { session: s.record.id, error: String(error) }),
    )
  }

  /** Stops agents that have had nothing to do, and forgets sessions nobody looks at. */
  tidy(): void {
    // What the database lacks is known here alone.
    if (!this.context.store.settle()) return
    const now = performance.now()
    for (const s of this.#loaded.values()) {
      if (!isIdle(s)) continue
      // The tail is for readers of a session at work; at rest they have read it, or take it from disk.
      s.log.dropTail()
      if (this.#idleStopIn(s, now) <= 0)
        closeProcess(s).catch((error: unknown) =>
          this.context.log("warn", "idle stop failed", { session: s.record.id, error: String(error) }),
        )
    }
    stopLongestIdle(this.context)
    this.#evict()
  }

  /** When there is something to tidy up again, if nothing happens meanwhile. */
  tidyDueMs(): number {
    const now = performance.now()
    const stops = [...this.#loaded.values()].map((s) => this.#idleStopIn(s, now))
    return Math.min(...stops, this.#loaded.size > limits.idleSessionsLoaded ? limits.evictAfterMs : Infinity)
  }

  /** Never: it has no process, is at work, could not be resumed, or is not to be stopped. */
  #idleStopIn(s: Session, now: number): number {
    const { idleStopMs } = this.context
    if (s.native === undefined || !isIdle(s) || !canComeBack(s)) return Infinity
    if (s.leftAlone && s.log.readers === 0) return 0
    return idleStopMs <= 0 ? Infinity : s.idleSince + idleStopMs - now
  }

  /** Ends what runs, keeps every session. */
  async stop(): Promise<void> {
    this.context.stopping = true
    const stopped: Promise<void>[] = []
    const error = { code: "daemon_stopping" satisfies TurnErrorCode, message: "the daemon was stopped" }
    for (const s of this.#loaded.values())
      try {
        settle(s, { scope: "all", reason: "daemon_stopping", end: { stop: "error", error }, lost: true })
      } catch (thrown) {
        // Recovery ends it at the next start; the other sessions must not wait for that.
        this.context.log("error", "a session was not settled", { session: s.record.id, error: String(thrown) })
      } finally {
        stopped.push(closeProcess(s).catch(() => killProcess(s)))
        s.log.close()
      }
    this.context.store.flush()
    await Promise.all(stopped)
  }

  /** A new session, known from now on; its log is still empty. */
  insert(id: string, body: Wanted, directory: string, agentVersion?: string): Session {
    const { context } = this
    const now = context.clock.now()
    const record: SessionRecord = {
      uid: this.#nextUid++,
      id,
      alias: context.ids.next("ses"),
      agent: body.agent,
      agentVersion: body.agentVersion ?? agentVersion,
      pinnedVersion: body.agentVersion,
      agentMode: body.agentMode ?? "build",
      permissionMode: body.permissionMode ?? "default",
      model: body.model,
      variant: body.variant,
      directory,
      title: body.title,
      status: "starting",
      background: 0,
      processLive: false,
      createdAt: now,
      updatedAt: now,
      metadata: body.metadata ?? {},
      native: { home: hostFor(context, body.agent).home, durable: false },
      systemPrompt: body.systemPrompt,
      skills: body.skills,
    }
    const session = new Session(context, {
      record,
      secrets: { env: body.env, mcp: body.mcp, configured: body.configured },
      firstSeq: 1,
      lastSeq: 0,
      rawLast: 0,
    })
    this.#keep(session)
    session.add()
    context.global.append("session.created", id, { agent: body.agent })
    context.log("info", "session created", { session: id, agent: body.agent, directory })
    return session
  }

  assertFree(id: string): void {
    // One that was made just now is there once it is on disk: until then a kill takes it away.
    if (this.#loaded.has(id)) this.context.store.flush()
    if (this.context.rows.sessionById(id) !== undefined)
      throw new SandboxAgentError("session_already_exists", `session ${id} already exists`, { sessionId: id })
    if (this.context.stopping) throw new SandboxAgentError("unavailable", "the daemon is stopping")
    if (this.context.store.failing || this.#loaded.has(id)) throw unwritable()
  }

  #keep(s: Session): Session {
    this.#loaded.set(s.record.id, s)
    return s
  }

  /** A damaged one is left out of lists, and an error when it is asked for by its id. */
  #peek(uid: number, id: string): Session | undefined {
    try {
      return load(this.context, this.context.rows.sessionByUid(uid) as LoadedSession)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      this.context.store.suspect(error)
      this.context.log("error", "a damaged session is not listed", { session: id, error: String(error) })
      return undefined
    }
  }

  #evict(): void {
    const untouchedSince = performance.now() - limits.evictAfterMs
    for (const [id, s] of this.#loaded) {
      if (this.#loaded.size <= limits.idleSessionsLoaded) return
      if (s.touched > untouchedSince) continue // a request may still hold it
      const busy = s.native !== undefined || s.opening !== undefined || s.turn !== undefined || s.sending !== undefined
      const kept = s.closing !== undefined // known to nobody but this object
      if (
        !kept &&
        !busy &&
        s.queue.length === 0 &&
        s.requests.size === 0 &&
        s.items.size === 0 &&
        s.log.readers === 0 &&
        s.log.last === s.sequence
      )
        this.#loaded.delete(id)
    }
  }

  /** Its readers have some time to take what they lack. */
  #purgeOnceRead(s: Session): void {
    if (s.log.readers === 0) return this.#purgeAll(s)
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, limits.deletedReadersMs).unref()
    void Promise.race([s.log.unread(), late]).then(() => {
      clearTimeout(timer)
      this.#purgeAll(s)
    })
  }

  #purgeAll(s: Session): void {
    this.#purge(s.record.uid, s.record.id)
    s.log.first = s.log.last + 1 // readers that are still there end
    rm(attachmentDirectory(s), { recursive: true, force: true }).catch((error: unknown) =>
      this.context.log("warn", "attachments could not be removed", { session: s.record.id, error: String(error) }),
    )
  }

  #purge(uid: number, session: string): void {
    const { store, log } = this.context
    store
      .purge(uid)
      .catch((error: unknown) =>
        log("warn", "a deleted session is still in the file", { session, error: String(error) }),
      )
  }
}

const unwritable = (): SandboxAgentError =>
  new SandboxAgentError("unavailable", "the store cannot be written (disk full?)")
