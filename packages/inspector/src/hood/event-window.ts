import type { Event, SandboxAgentClient, Session } from "sandbox-agent"
import { Store } from "../store.ts"

export interface WindowState {
  events: readonly Event[]
  hasOlder: boolean
  loading: boolean
  error?: string
}

/** Events that are loaded at once, and kept while more come. */
const page = 300
const most = 5000

/** A stretch of a session's log with its native lines: the end of it, followed, or what stands around one event. */
export class EventWindow extends Store<WindowState> {
  readonly #client: SandboxAgentClient
  readonly #session: Session
  #stop = new AbortController()
  #first = 1
  #busy = false

  constructor(client: SandboxAgentClient, session: Session) {
    super({ events: [], hasOlder: false, loading: true })
    this.#client = client
    this.#session = session
  }

  close(): void {
    this.#stop.abort()
  }

  /** From shortly before this event, or the end of the log. */
  open(around: number | undefined): Promise<void> {
    if (this.#stop.signal.aborted) {
      this.#stop = new AbortController()
      this.#busy = false
    }
    return this.#work(async () => {
      const { firstSequence, lastSequence } = await this.#client.getSession(this.#session.id, {
        signal: this.#stop.signal,
      })
      this.#first = firstSequence
      const begin = around === undefined ? lastSequence - page : around - 20
      const offset = Math.max(firstSequence - 1, Math.min(begin, lastSequence))
      const events = await this.#read(offset, page)
      this.set({ events, hasOlder: offset >= firstSequence, loading: false })
    })
  }

  /** What came since. */
  more(): Promise<void> {
    return this.#work(async () => {
      const last = this.value.events.at(-1)?.sequence
      if (last === undefined) return
      const fresh = await this.#read(last, 1000)
      if (fresh.length === 0) return
      const all = [...this.value.events, ...fresh]
      const events = all.slice(-most)
      this.set({ ...this.value, events, hasOlder: this.value.hasOlder || events.length < all.length })
    })
  }

  older(): Promise<void> {
    return this.#work(async () => {
      const first = this.value.events[0]?.sequence ?? 1
      const offset = Math.max(this.#first - 1, first - 1 - page)
      const events = (await this.#read(offset, page)).filter(({ sequence }) => sequence < first)
      this.set({ ...this.value, events: [...events, ...this.value.events], hasOlder: offset >= this.#first })
    })
  }

  async #read(offset: number, limit: number): Promise<Event[]> {
    const { signal } = this.#stop
    return (await this.#client.getEvents(this.#session.id, { offset, limit, includeRaw: true, signal })).events
  }

  async #work(work: () => Promise<void>): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    const { signal } = this.#stop
    try {
      await work()
    } catch (error) {
      if (!signal.aborted)
        this.set({ ...this.value, loading: false, error: error instanceof Error ? error.message : String(error) })
    } finally {
      if (!signal.aborted) this.#busy = false
    }
  }
}

/** The item that an event is about. */
export function itemOf({ data }: Event): string | undefined {
  const about = data as { item?: { item_id: string }; item_id?: string }
  return about.item?.item_id ?? about.item_id
}

/** What an event says, in a line. */
export function glance(event: Event): string {
  switch (event.type) {
    case "item.started":
    case "item.completed":
      return `${event.data.item.role ?? ""} ${event.data.item.kind} ${event.data.item.status}`.trim()
    case "item.delta":
      return JSON.stringify(event.data.delta)
    case "turn.ended":
      return event.data.stop_reason
    case "permission.requested":
    case "permission.resolved":
      return `${event.data.status} ${event.data.action}`
    case "question.requested":
    case "question.resolved":
      return `${event.data.status} ${event.data.prompt}`
    case "message.updated":
      return event.data.state
    case "session.updated":
      return Object.keys(event.data).join(", ")
    case "error":
      return event.data.message
    default:
      return ""
  }
}
