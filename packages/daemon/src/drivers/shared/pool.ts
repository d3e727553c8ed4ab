import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { unlessAborted, withDeadline } from "../../core/deadline.ts"
import type { Exit } from "../../core/driver-sink.ts"

/** A server that several sessions share. */
export interface Shared {
  /** How much it has said so far, in whatever it is counted: one that goes on speaking lives. */
  readonly said: number
  /** Something that one that lives answers at once, if only that it does not know it. */
  ask(): Promise<unknown>
  /** Politely. */
  stop(): Promise<void>
}

/** One user of a server, as the pool sees it. */
export interface PoolMember {
  /** The server died. Told once, and the lease is over. */
  lost(exit: Exit): void
  /** The server is being replaced: whoever is idle shall leave, whoever is not when its turn has ended. */
  draining?(): void
  /** A promise while this member cannot take more of what the server says. */
  room?(): Promise<void> | undefined
}

export interface Lease<S> {
  readonly server: S
  readonly draining: boolean
  /** It finished work: its death would not be that of one that cannot live. */
  proven(): void
  /** Nobody else gets it; whoever has it keeps it. It stops when its last member leaves. */
  retire(): void
  /** It is stuck for this member: nobody else gets it, who is idle leaves it, and it stops when its last member leaves. */
  drain(): void
  release(): void
}

/** What a server that is being started reports to the pool, and what it can ask the pool. */
export interface ServerHooks {
  /** One with this key has died before. */
  readonly again: boolean
  lost(exit: Exit): void
  /** A promise while some member cannot take more. */
  room(): Promise<void> | undefined
  /** Nobody waits for it any more, or it takes too long: what has been started so far shall end. */
  readonly signal: AbortSignal
}

export interface PoolOptions {
  /** How long a server without members is kept: sessions often follow one another. */
  lingerMs?: number
  /** How long one may take to start: who comes later would wait for it as well. */
  startMs?: number
  /** How long one that is in doubt may take to answer. */
  answerMs?: number
  backoffMs?: number
  backoffMaxMs?: number
}

export const defaults: Required<PoolOptions> = {
  lingerMs: limits.sharedLingerMs,
  startMs: limits.openMs,
  answerMs: limits.answerMs,
  backoffMs: limits.sharedBackoffMs,
  backoffMaxMs: limits.sharedBackoffMaxMs,
}

interface Slot<S> {
  readonly key: string
  readonly members: Set<PoolMember>
  readonly giveUp: AbortController
  starting: Promise<S>
  server?: S
  /** Nobody else gets it. */
  retired: boolean
  draining: boolean
  /** Openings that were given up for want of an answer. */
  hung: number
  /** What it had said when the last of these ended, in which it said nothing to anybody. */
  doubted?: number
  over: boolean
  linger?: ReturnType<typeof setTimeout>
}

/** Servers by their key. One is started when first asked for and again, ever later, after it died; never by itself. */
export class Pool<S extends Shared> {
  readonly #slots = new Map<string, Slot<S>>()
  /** Deaths in a row of servers that never finished anything. */
  readonly #deaths = new Map<string, { count: number; at: number }>()
  readonly #options: Required<PoolOptions>

  constructor(options: PoolOptions = {}) {
    this.#options = { ...defaults, ...options }
  }

  /**
   * With a signal: whoever stops waiting holds nothing. When it gave up for want of an answer, while the server said nothing to
   * anybody, nobody else is sent there until the server has said something.
   */
  async lease(
    key: string,
    member: PoolMember,
    start: (hooks: ServerHooks) => Promise<S>,
    { signal, startMs = this.#options.startMs }: { signal?: AbortSignal; startMs?: number } = {},
  ): Promise<Lease<S>> {
    const slot = this.#trusted(key) ?? this.#begin(key, start, startMs)
    clearTimeout(slot.linger)
    slot.members.add(member)
    try {
      const server = await unlessAborted(slot.starting, signal)
      // It died between its start and now: `lost` has been called, but on a member that has no lease yet.
      if (slot.over) throw new Error("the shared server died while it was starting")
      const { said } = server
      const gaveUp = () => isTimeout(signal?.reason) && this.#hung(slot, server, member, said)
      signal?.addEventListener("abort", gaveUp, { once: true })
      return this.#leaseOf(slot, server, member)
    } catch (error) {
      if (slot.members.delete(member) && slot.members.size === 0) this.#unheld(slot)
      throw error
    }
  }

  #leaseOf(slot: Slot<S>, server: S, member: PoolMember): Lease<S> {
    return {
      server,
      get draining() {
        return slot.draining
      },
      proven: () => {
        this.#deaths.delete(slot.key)
      },
      retire: () => this.#retire(slot),
      drain: () => this.#drain(slot),
      release: () => {
        if (slot.members.delete(member) && slot.members.size === 0) this.#unheld(slot)
      },
    }
  }

  #begin(key: string, start: (hooks: ServerHooks) => Promise<S>, startMs: number): Slot<S> {
    const giveUp = new AbortController()
    const fresh = { retired: false, draining: false, hung: 0, over: false }
    const slot: Slot<S> = { key, members: new Set(), giveUp, starting: Promise.reject(), ...fresh }
    slot.starting.catch(() => undefined)
    slot.starting = this.#start(slot, start, startMs)
    // Whoever waits for it sees the failure; one that nobody waits for any more is not an unhandled one.
    slot.starting.catch(() => undefined)
    this.#slots.set(key, slot)
    return slot
  }

  async #start(slot: Slot<S>, start: (hooks: ServerHooks) => Promise<S>, startMs: number): Promise<S> {
    const delay = this.#delay(slot.key)
    if (delay > 0) await Bun.sleep(delay)
    const { signal } = slot.giveUp
    try {
      signal.throwIfAborted()
      const again = this.#deaths.has(slot.key)
      const lost = (exit: Exit) => this.#lost(slot, exit)
      const started = start({ again, lost, room: () => roomOf(slot), signal })
      // One that is there after all, when nobody wants it any more.
      started.then((late) => (slot.over ? late.stop() : undefined)).catch(() => undefined)
      slot.server = await withDeadline(started, startMs, "the shared server did not start")
    } catch (error) {
      // One that nobody waited for did not fail.
      if (!signal.aborted) this.#died(slot.key)
      this.#end(slot)
      slot.giveUp.abort()
      throw error
    }
    if (slot.members.size === 0) this.#unheld(slot)
    return slot.server
  }

  #lost(slot: Slot<S>, exit: Exit): void {
    if (slot.over) return
    this.#end(slot)
    // One that was asked to leave did not fail.
    if (!slot.draining && slot.server !== undefined) this.#died(slot.key)
    const members = [...slot.members]
    slot.members.clear()
    for (const member of members) member.lost(exit)
  }

  /** One in doubt is left to those who have it. */
  #trusted(key: string): Slot<S> | undefined {
    const slot = this.#slots.get(key)
    if (slot?.doubted === undefined || slot.doubted !== slot.server?.said) return slot
    this.#retire(slot)
    return undefined
  }

  /**
   * An opening has had no answer. That may be its own fault, and who else has this server would lose by its end what the agent
   * cannot take up again: the server is asked whether it lives. Without anybody else it is not kept.
   */
  #hung(slot: Slot<S>, server: S, member: PoolMember, said: number): void {
    slot.hung++
    const others = [...slot.members].some((one) => one !== member)
    if (slot.hung >= limits.hungOpenings) this.#retire(slot)
    if (server.said !== said) return
    if (!others) return this.#drain(slot)
    slot.doubted = said
    const answered = server.ask().then(
      () => true,
      () => true,
    )
    const late = Bun.sleep(this.#options.answerMs).then(() => server.said !== said)
    void Promise.race([answered, late]).then((lives) => {
      if (!lives) this.#drain(slot)
      else if (slot.doubted === said) slot.doubted = undefined
    })
  }

  #retire(slot: Slot<S>): void {
    slot.retired = true
    if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key)
    if (slot.members.size === 0) this.#unheld(slot)
  }

  #drain(slot: Slot<S>): void {
    if (slot.draining || slot.over) return
    slot.draining = true
    this.#retire(slot)
    for (const member of [...slot.members]) member.draining?.()
  }

  #unheld(slot: Slot<S>): void {
    const { server } = slot
    if (slot.over) return
    if (server === undefined) {
      this.#end(slot)
      return slot.giveUp.abort()
    }
    const stop = () => {
      if (slot.members.size > 0 || slot.over) return
      this.#end(slot)
      // What does not stop is the supervisor's to kill.
      server.stop().catch(() => undefined)
    }
    clearTimeout(slot.linger)
    slot.linger = setTimeout(stop, slot.retired ? 0 : this.#options.lingerMs)
    slot.linger.unref()
  }

  #end(slot: Slot<S>): void {
    slot.over = true
    clearTimeout(slot.linger)
    if (this.#slots.get(slot.key) === slot) this.#slots.delete(slot.key)
  }

  #died(key: string): void {
    // Keys of sessions with an environment of their own come and go.
    if (this.#deaths.size >= limits.idleSessionsLoaded) this.#deaths.clear()
    this.#deaths.set(key, { count: (this.#deaths.get(key)?.count ?? 0) + 1, at: Date.now() })
  }

  #delay(key: string): number {
    const deaths = this.#deaths.get(key)
    if (deaths === undefined) return 0
    return Math.max(0, deaths.at + backoff(deaths.count, this.#options) - Date.now())
  }
}

export const isTimeout = (reason: unknown): boolean => SandboxAgentError.is(reason) && reason.code === "timeout"

/** None after the first death: most servers die once, and somebody waits. */
export function backoff(deaths: number, { backoffMs, backoffMaxMs }: Required<PoolOptions>): number {
  return deaths < 2 ? 0 : Math.min(backoffMs * 2 ** (deaths - 2), backoffMaxMs)
}

function roomOf<S>(slot: Slot<S>): Promise<void> | undefined {
  for (const member of slot.members) {
    const room = member.room?.()
    if (room !== undefined) return room
  }
  return undefined
}
