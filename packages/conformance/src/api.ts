import type { Event, EventType } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import type { Session } from "@sandbox-agent/schema/session"
import { sseEvents } from "./sse.ts"

export interface Answer<T> {
  status: number
  headers: Headers
  body: T
}

/** The API as a client sees it: plain fetch, nothing hidden. */
export class Api {
  constructor(
    readonly url: string,
    readonly token: string,
    /** Ends every call that waits. */
    readonly signal?: AbortSignal,
  ) {}

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` }
  }

  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...this.headers, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      signal: this.signal,
    })
    const text = await response.text()
    const json = /json/.test(response.headers.get("content-type") ?? "")
    return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : text) as T }
  }

  /** Fails with the problem when the status is not a good one. */
  async ok<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.call<T>(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  create(id: string, body: Record<string, unknown> = {}): Promise<{ healthy: boolean; session: Session }> {
    return this.ok("POST", `/v1/sessions/${id}`, { agent: "mock", ...body })
  }

  send(
    id: string,
    message: string,
    more: Record<string, unknown> = {},
  ): Promise<{ messageId: string; turnId: string; position: number }> {
    return this.ok("POST", `/v1/sessions/${id}/messages`, { message, ...more })
  }

  session(id: string): Promise<Session> {
    return this.ok("GET", `/v1/sessions/${id}`)
  }

  items(id: string): Promise<{ items: Item[]; sequence: number }> {
    return this.ok("GET", `/v1/sessions/${id}/items`)
  }

  /** Sends and waits for the end of the turn that takes the message; gives all its events. */
  async turn(id: string, message: string, more: Record<string, unknown> = {}): Promise<Event[]> {
    const response = await fetch(`${this.url}/v1/sessions/${id}/messages/stream`, {
      method: "POST",
      headers: { ...this.headers, "content-type": "application/json" },
      body: JSON.stringify({ message, ...more }),
      signal: this.signal,
    })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    const events: Event[] = []
    for await (const { data } of sseEvents(response)) events.push(JSON.parse(data) as Event)
    return events
  }

  /** Every event of the log so far. */
  async events(id: string, query = ""): Promise<Event[]> {
    const all: Event[] = []
    for (let offset = 0, more = true; more; ) {
      const page = await this.ok<{ events: Event[]; hasMore: boolean }>(
        "GET",
        `/v1/sessions/${id}/events?offset=${offset}&limit=1000${query}`,
      )
      all.push(...page.events)
      offset = page.events.at(-1)?.sequence ?? offset
      more = page.hasMore
    }
    return all
  }

  /** The live stream; ends when the caller stops iterating. */
  async *stream(id: string, query = "", headers: Record<string, string> = {}): AsyncGenerator<Event> {
    const abort = new AbortController()
    try {
      const response = await fetch(`${this.url}/v1/sessions/${id}/events/sse${query}`, {
        headers: { ...this.headers, ...headers },
        signal: this.signal === undefined ? abort.signal : AbortSignal.any([abort.signal, this.signal]),
      })
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
      for await (const { data } of sseEvents(response)) yield JSON.parse(data) as Event
    } finally {
      abort.abort()
    }
  }

  /** Reads the stream until an event fulfils the condition, and gives it. */
  async until<T extends EventType>(
    id: string,
    type: T,
    when: (event: Extract<Event, { type: T }>) => boolean = () => true,
    offset = 0,
  ): Promise<Extract<Event, { type: T }>> {
    for await (const event of this.stream(id, `?offset=${offset}`))
      if (event.type === type && when(event as Extract<Event, { type: T }>)) return event as Extract<Event, { type: T }>
    throw new Error(`the stream ended without ${type}`)
  }
}
