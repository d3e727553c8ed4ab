import { rm, stat } from "node:fs/promises"
import { isAbsolute, resolve } from "node:path"
import { type AgentError, SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { CreateSession, Session as SessionView } from "@sandbox-agent/schema/session"
import type { LoadedSession, SessionRecord } from "../store/row-types.ts"
import { attachmentDirectory } from "./attachments.ts"
import type { Context } from "./context.ts"
import type { Driver, NativeRef, PastItem } from "./driver.ts"
import { endSession, terminateSession } from "./ending.ts"
import { wholeItem } from "./items.ts"
import { load } from "./load.ts"
import { ensureOpen, hostFor } from "./opening.ts"
import { closeProcess, killProcess } from "./process.ts"
import { dispatch } from "./send.ts"
import { Session } from "./session.ts"
import { assertMode } from "./settings.ts"
import { settle } from "./settle.ts"
import { viewOf } from "./view.ts"

export interface Created {
  healthy: boolean
  error?: AgentError
  session: Session
}

/** How long readers of a deleted session may take to read its end. */
const DRAIN_MS = 10_000

/** All sessions of this daemon: creates, finds, lists, deletes. Loaded on first touch, dropped when nothing happens in them. */
export class Sessions {
  readonly #loaded = new Map<string, Session>()
  #nextUid: number

  constructor(readonly context: Context) {
    this.#nextUid = context.rows.maxUid() + 1
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
    const row = this.context.rows.sessionById(id)
    if (row === undefined)
      throw new SandboxAgentError("session_not_found", `there is no session ${id}`, { sessionId: id })
    return this.#keep(load(this.context, row))
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
    const sessions = page.map(({ uid, id }) => viewOf(this.#loaded.get(id) ?? this.#peek(uid)))
    return { sessions, nextCursor: found.length > limit ? String(page.at(-1)?.uid) : undefined }
  }

  async create(id: string, body: CreateSession): Promise<Created> {
    const driver = this.driver(body.agent)
    this.#assertFree(id)
    const directory = resolve(body.directory ?? this.context.defaultDirectory)
    await this.#assertDirectory(body.directory, directory)
    const installation = await driver.locate()
    if (!installation.installed)
      throw new SandboxAgentError("agent_not_installed", `agent ${body.agent} is not installed`, { agent: body.agent })
    if (body.agentMode !== undefined && body.agentMode !== "build")
      assertMode((await driver.catalog(hostFor(this.context, body.agent))).modes, body.agent, body.agentMode)
    driver.check?.(body)
    const adopted = body.nativeSessionId === undefined ? undefined : await this.#adoptable(driver, body.nativeSessionId)
    this.#assertFree(id)
    const session = this.#insert(id, body, directory, installation.version)
    if (adopted !== undefined) {
      session.record.openFrom = { kind: "adopt", ref: adopted.ref }
      session.record.native = { ...adopted.ref } // from now on it has an owner
      session.nativeIdChanged()
    }
    session.append("session.started", { metadata: session.record.metadata, adopted: adopted && true }, "daemon")
    for (const { kind, role, content } of adopted?.past ?? [])
      wholeItem(session, { kind, role, content }, "completed", "daemon", true)
    return this.start(session)
  }

  /** Opens the agent of a session that is starting. What can be cured later leaves the session standing. */
  async start(s: Session): Promise<Created> {
    const error = await ensureOpen(s).then(
      () => undefined,
      () => s.record.error,
    )
    // Ended meanwhile: its log is closed, and the caller is told all the same.
    if (error !== undefined && s.record.status !== "ended")
      s.append("error", { message: error.message, code: error.code }, "daemon")
    if (s.record.status === "starting") s.setStatus(s.requests.size > 0 ? "waiting" : "idle", true)
    await s.committed()
    dispatch(s)
    return { healthy: error === undefined, error, session: s }
  }

  async resume(s: Session): Promise<Created> {
    s.assertWritable(true)
    if (s.record.status !== "ended")
      throw new SandboxAgentError("conflict", `session ${s.record.id} has not ended`, {
        sessionStatus: s.record.status,
      })
    if (!s.driver?.capabilities.resume)
      throw new SandboxAgentError("not_supported", `agent ${s.record.agent} cannot resume a session`)
    s.record.endedAt = undefined
    s.append("session.started", { metadata: s.record.metadata, resumed: true }, "daemon")
    s.setStatus("starting", false)
    return this.start(s)
  }

  async delete(s: Session): Promise<void> {
    s.assertWritable(true)
    if (s.record.status !== "ended")
      endSession(s, { reason: "terminated", terminated_by: "daemon" }, { stop: "cancelled", forced: true })
    const stopped = closeProcess(s)
    this.#loaded.delete(s.record.id)
    this.context.global.append("session.deleted", s.record.id, {})
    this.context.store.flush()
    s.deleted = true
    this.context.store.write(() => this.context.rows.markDeleted(s.record.uid))
    this.context.store.flush() // at once: a request that comes now must not load it again
    await s.committed()
    s.log.close()
    await stopped
    this.#purgeWhenDrained(s, performance.now() + DRAIN_MS)
  }

  /** A session of ours that begins where another stands. The folded items come first, so that it stands alone. */
  async fork(s: Session, id: string, atSequence?: number): Promise<Created & { forkedAtSequence: number }> {
    s.assertWritable(true)
    const { driver, record } = s
    if (!driver?.capabilities.fork)
      throw new SandboxAgentError("not_supported", `agent ${record.agent} cannot fork a session`)
    this.#assertFree(id)
    if (atSequence !== undefined && atSequence > s.log.last)
      throw new SandboxAgentError("invalid_request", `atSequence: beyond the end of the log`, {
        lastSequence: s.log.last,
      })
    const head = this.context.rows.lastTurnEnd(record.uid, s.log.last)
    const at = this.context.rows.lastTurnEnd(record.uid, atSequence ?? s.log.last)
    if (at === undefined || !record.native.durable)
      throw new SandboxAgentError("conflict", "there is no finished turn to fork from", { sessionId: record.id })
    if (driver.forksAt !== "turn" && (s.turn !== undefined || at.id !== head?.id))
      throw new SandboxAgentError(
        "not_supported",
        `agent ${record.agent} forks only at the end of its last turn, while none runs`,
      )
    const body: CreateSession = { agent: record.agent, ...pick(record), mcp: s.secrets.mcp, env: s.secrets.env }
    const child = this.#insert(id, body, record.directory, record.agentVersion)
    child.record.openFrom = { kind: "fork", ref: { ...record.native }, at: at.nativeRef }
    child.append("session.started", { metadata: record.metadata, forked_from: record.id }, "daemon")
    const forkedAtSequence = at.endedSeq ?? s.log.last
    for (const row of this.context.rows.items(record.uid)) {
      if (row.completedSeq === null || row.completedSeq > forkedAtSequence) continue
      const { item_id: _, status, turn_id: __, parent_id: ___, message_id: ____, ...item } = JSON.parse(row.json)
      wholeItem(child, item, status, "daemon", true)
    }
    return { ...(await this.start(child)), forkedAtSequence }
  }

  terminate = terminateSession

  /** Stops agents that have had nothing to do, and forgets sessions nobody looks at. */
  tidy(): void {
    const now = performance.now()
    for (const s of this.#loaded.values()) {
      const atRest =
        s.turn === undefined &&
        s.sending === undefined &&
        s.queue.length === 0 &&
        s.requests.size === 0 &&
        s.opening === undefined
      if (!atRest) continue
      // The tail is for readers of a session at work; at rest they have read it, or take it from disk.
      s.log.dropTail()
      if (s.native === undefined || now - s.idleSince < this.context.idleStopMs) continue
      const resumable = s.driver?.capabilities.resume || !s.native.ref.durable
      if (s.record.background === 0 && resumable && this.context.idleStopMs > 0)
        closeProcess(s).catch((error: unknown) =>
          this.context.log("warn", "idle stop failed", { session: s.record.id, error: String(error) }),
        )
    }
    this.#evict()
  }

  /** Ends what runs, keeps every session. */
  async stop(): Promise<void> {
    this.context.stopping = true
    const stopped: Promise<void>[] = []
    for (const s of this.#loaded.values()) {
      const error = { code: "daemon_stopping", message: "the daemon was stopped" }
      settle(s, { scope: "all", reason: "daemon_stopping", end: { stop: "error", error }, lost: true })
      stopped.push(closeProcess(s).catch(() => killProcess(s)))
      s.log.close()
    }
    this.context.store.flush()
    await Promise.all(stopped)
  }

  #insert(id: string, body: CreateSession, directory: string, agentVersion?: string): Session {
    const { context } = this
    const now = context.clock.now()
    const record: SessionRecord = {
      uid: this.#nextUid++,
      id,
      alias: context.ids.next("ses"),
      agent: body.agent,
      agentVersion: body.agentVersion ?? agentVersion,
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
      secrets: { env: body.env, mcp: body.mcp },
      firstSeq: 1,
      lastSeq: 0,
      rawLast: 0,
    })
    this.#keep(session)
    context.global.append("session.created", id, { agent: body.agent, title: body.title })
    return session
  }

  /** What is needed to adopt a native session, read before anything is made: it may not exist. */
  async #adoptable(driver: Driver, id: string): Promise<{ ref: NativeRef; past: PastItem[] }> {
    const host = hostFor(this.context, driver.agent)
    const ref = { id, home: host.home, durable: true }
    this.#assertUnowned(driver, id)
    const past = await Array.fromAsync(driver.history?.(ref, host) ?? [])
    this.#assertUnowned(driver, id)
    return { ref, past }
  }

  #assertFree(id: string): void {
    if (this.#loaded.has(id) || this.context.rows.sessionById(id) !== undefined)
      throw new SandboxAgentError("session_already_exists", `session ${id} already exists`, { sessionId: id })
    if (this.context.stopping) throw new SandboxAgentError("unavailable", "the daemon is stopping")
    if (this.context.store.failing)
      throw new SandboxAgentError("unavailable", "the store cannot be written (disk full?)")
  }

  async #assertDirectory(given: string | undefined, directory: string): Promise<void> {
    if (given !== undefined && !isAbsolute(given))
      throw new SandboxAgentError("invalid_request", `directory: ${given} is not absolute`)
    const found = await stat(directory).catch(() => undefined)
    if (!found?.isDirectory())
      throw new SandboxAgentError("invalid_request", `directory: ${directory} is not a directory`)
  }

  #assertUnowned(driver: Driver, nativeId: string): void {
    if (!driver.capabilities.resume)
      throw new SandboxAgentError("not_supported", `agent ${driver.agent} cannot adopt a session`)
    this.context.store.flush() // also a session made just now
    const owner = this.context.rows.ownerOfNative(driver.agent, nativeId)
    if (owner !== undefined)
      throw new SandboxAgentError("conflict", `native session ${nativeId} belongs to session ${owner}`, {
        sessionId: owner,
      })
  }

  #keep(s: Session): Session {
    this.#loaded.set(s.record.id, s)
    return s
  }

  #peek(uid: number): Session {
    return load(this.context, this.context.rows.sessionByUid(uid) as LoadedSession)
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

  #purgeWhenDrained(s: Session, deadline: number): void {
    if (s.log.readers > 0 && performance.now() < deadline) {
      setTimeout(() => this.#purgeWhenDrained(s, deadline), 100).unref()
      return
    }
    this.context.store.write(() => this.context.rows.purge(s.record.uid))
    rm(attachmentDirectory(s), { recursive: true, force: true }).catch((error: unknown) =>
      this.context.log("warn", "attachments could not be removed", { session: s.record.id, error: String(error) }),
    )
  }
}

const pick = ({ agentMode, permissionMode, model, variant, title, metadata, systemPrompt, skills }: SessionRecord) => ({
  agentMode,
  permissionMode,
  model,
  variant,
  title,
  metadata,
  systemPrompt,
  skills,
})
