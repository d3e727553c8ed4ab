import type { UniversalApi } from "../api/universal.ts"
import { isSandboxAgentError, SandboxAgentError } from "../errors.ts"
import type { CallOptions } from "../http/http.ts"
import type { Limits } from "../limits.ts"
import { offsetAfterLoss } from "../lost-events.ts"
import type { Event, Item, Permission, PlanEntry, Question, SessionInfo } from "../types.ts"
import { Fold, type TranscriptTurn } from "./fold.ts"
import { advanced, type LiveState } from "./live-state.ts"
import type { Span } from "./spans.ts"

export interface TranscriptState {
  /** Nothing is here yet. */
  loading: boolean
  /** The last event that is in it. */
  sequence: number
  session: SessionInfo | undefined
  items: readonly Item[]
  turns: readonly TranscriptTurn[]
  /** What waits for a person. */
  permissions: readonly Permission[]
  questions: readonly Question[]
  plan: readonly PlanEntry[]
  /** There is more of the past: `loadOlder()`. */
  hasOlder: boolean
  /** Why nothing comes any more; `subscribe` again to go on. */
  error?: SandboxAgentError
}

const nothing: readonly never[] = []

/**
 * What the log of a session amounts to, live while anybody subscribes. `subscribe` and `getSnapshot` are what a user interface binds to: a
 * snapshot is the same object until something changes, and what did not change in it is the same object, too. It begins with the last page.
 */
export class Transcript {
  readonly #api: UniversalApi
  readonly #id: string
  readonly #limits: Limits
  readonly #report: (error: Error) => void
  readonly #listeners = new Set<() => void>()
  #fold = new Fold()
  #live: LiveState | undefined
  /** The first sequence that is folded, and the last. */
  #from = 0
  #sequence = 0
  #hasOlder = false
  /** Parts of the log are no longer kept, or are damaged. */
  #hasLoss = false
  #error: SandboxAgentError | undefined
  #snapshot: TranscriptState | undefined
  #telling: ReturnType<typeof setTimeout> | undefined
  #run: AbortController | undefined
  #older: Promise<void> | undefined

  /** @internal */
  constructor(api: UniversalApi, id: string, limits: Limits, report: (error: Error) => void) {
    this.#api = api
    this.#id = id
    this.#limits = limits
    this.#report = report
  }

  /** Told soon after something changed, once for all that came together. Returns what ends it. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#run === undefined) this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  getSnapshot = (): TranscriptState => {
    this.#snapshot ??= {
      loading: this.#live === undefined && this.#error === undefined,
      sequence: this.#sequence,
      session: this.#live?.session,
      items: this.#fold.items.slice(),
      turns: this.#fold.turns.slice(),
      permissions: this.#live?.permissions ?? nothing,
      questions: this.#live?.questions ?? nothing,
      plan: this.#fold.plan ?? nothing,
      hasOlder: this.#hasOlder,
      ...(this.#error !== undefined && { error: this.#error }),
    }
    return this.#snapshot
  }

  /** When an item, turn, permission or question began and ended, as far as it is loaded. */
  spanOf(id: string): Span | undefined {
    return this.#fold.spans.get(id)
  }

  /** One page of the past in front of what is here. Two at once are one. */
  loadOlder(options?: CallOptions): Promise<void> {
    this.#older ??= this.#loadOlder(options).finally(() => {
      this.#older = undefined
    })
    return this.#older
  }

  /** Nobody is told any more. */
  close(): void {
    this.#listeners.clear()
    this.#stop()
  }

  #start(): void {
    const run = new AbortController()
    this.#run = run
    this.#error = undefined
    this.#follow(run.signal).catch((error: unknown) => {
      if (this.#run !== run) return
      this.#run = undefined
      this.#error = isSandboxAgentError(error) ? error : new SandboxAgentError("protocol", String(error), error)
      this.#changed()
    })
  }

  #stop(): void {
    this.#run?.abort()
    this.#run = undefined
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (this.#live === undefined) await this.#open(signal)
      try {
        for await (const event of this.#api.streamEvents(this.#id, { offset: this.#sequence, signal }))
          this.#take(event)
        return
      } catch (error) {
        const after = offsetAfterLoss(error)
        if (after === undefined || after <= this.#sequence) throw error
        // Events are lost that were not seen: it begins again with what there is.
        this.#live = undefined
      }
    }
  }

  /** The state first, then the events behind it: what is told of twice changes nothing. */
  async #open(signal: AbortSignal): Promise<void> {
    const session = await this.#api.getSession(this.#id, { signal })
    const { permissions, questions } = await this.#api.listPending(this.#id, { signal })
    const oldest = session.firstSequence - 1
    this.#hasLoss = oldest > 0
    this.#from = Math.max(oldest, session.lastSequence - this.#limits.transcriptPage)
    this.#fold = await this.#stretch(this.#from, session.lastSequence, { signal })
    this.#sequence = session.lastSequence
    await this.#reached(oldest, { signal })
    // A page may end in the middle of one long answer, which began pages before.
    while (this.#hasOlder && (this.#fold.lacksBeginning || this.#fold.items.length === 0))
      await this.#loadOlder({ signal })
    this.#live = { session, permissions, questions }
    this.#changed()
  }

  async #loadOlder(options?: CallOptions): Promise<void> {
    if (!this.#hasOlder) return
    const { firstSequence } = await this.#api.getSession(this.#id, options)
    const oldest = firstSequence - 1
    const from = Math.max(oldest, this.#from - this.#limits.transcriptPage)
    if (from < this.#from) this.#fold.prepend(await this.#stretch(from, this.#from, options))
    this.#from = Math.min(from, this.#from)
    await this.#reached(oldest, options)
    this.#changed()
  }

  async #reached(oldest: number, options?: CallOptions): Promise<void> {
    this.#hasOlder = this.#from > oldest
    // The daemon keeps what the log amounts to, also where the log itself is cut or damaged.
    if (!this.#hasOlder) this.#fold.begin(this.#hasLoss ? (await this.#api.listItems(this.#id, options)).items : [])
  }

  async #stretch(from: number, to: number, options?: CallOptions): Promise<Fold> {
    const fold = new Fold()
    for (let at = from; at < to; ) {
      const limit = Math.min(to - at, 1000)
      const events = await this.#page(at, limit, options)
      if (typeof events === "number") {
        at = events
        continue
      }
      for (const event of events) fold.apply(event)
      const last = events.at(-1)
      if (last === undefined)
        throw new SandboxAgentError("protocol", `Reading events of ${this.#id}: ${to} is not there`)
      at = last.sequence
    }
    return fold
  }

  /** Where a part of the log is lost, the place behind it. */
  async #page(offset: number, limit: number, options?: CallOptions): Promise<readonly Event[] | number> {
    try {
      return (await this.#api.getEvents(this.#id, { ...options, offset, limit })).events
    } catch (error) {
      const after = offsetAfterLoss(error)
      if (after === undefined || after <= offset) throw error
      this.#hasLoss = true
      return after
    }
  }

  #take(event: Event): void {
    this.#sequence = event.sequence
    this.#fold.apply(event)
    if (this.#live !== undefined) this.#live = advanced(this.#live, event)
    this.#changed()
  }

  #changed(): void {
    this.#snapshot = undefined
    if (this.#telling !== undefined || this.#listeners.size === 0) return
    this.#telling = setTimeout(() => {
      this.#telling = undefined
      for (const listener of [...this.#listeners]) {
        try {
          listener()
        } catch (error) {
          this.#report(new SandboxAgentError("argument", `A listener threw: ${String(error)}`, error))
        }
      }
    }, 0)
  }
}
