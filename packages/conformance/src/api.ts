import type { Mode, Model } from "@sandbox-agent/schema/agent"
import type { Event, EventType } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import type { PostedMessage } from "@sandbox-agent/schema/message"
import type { Permission, PermissionReply, Question } from "@sandbox-agent/schema/request"
import type { Session } from "@sandbox-agent/schema/session"
import { codeIn, Refused } from "./refused.ts"
import { sseEvents } from "./sse.ts"

export interface Answer<T> {
  status: number
  headers: Headers
  body: T
}

/** What of a session a client changes while it lives. */
export type Change = Partial<Pick<Session, "agentMode" | "model" | "variant" | "permissionMode">>

/** What a fork has otherwise than its parent. */
export type Fork = { agent?: string; atSequence?: number }

/** The API as a client sees it: plain fetch, nothing hidden. Another face does the same things in its own words. */
export class Api {
  constructor(
    /** Both may be others after a restart. */
    public url: string,
    public token: string,
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
    const words = `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`
    if (answer.status >= 300) throw new Refused(codeIn(answer.body), words)
    return answer.body
  }

  create(id: string, body: Record<string, unknown> = {}): Promise<{ healthy: boolean; session: Session }> {
    return this.ok("POST", `/v1/sessions/${id}`, { agent: "mock", ...body })
  }

  send(id: string, message: string, more: Record<string, unknown> = {}): Promise<PostedMessage> {
    return this.ok("POST", `/v1/sessions/${id}/messages`, { message, ...more })
  }

  /** Takes back a message that waits. */
  async withdraw(id: string, messageId: string): Promise<void> {
    await this.ok("DELETE", `/v1/sessions/${id}/messages/${messageId}`)
  }

  /** Ends the running turn; its id, once it has ended. */
  async cancel(id: string): Promise<string> {
    const { ended, turnId } = await this.ok<{ ended: boolean; turnId: string }>("POST", `/v1/sessions/${id}/cancel`, {})
    if (!ended) throw new Error(`turn ${turnId} did not end`)
    return turnId
  }

  async reply(id: string, { permission_id }: Permission, reply: PermissionReply, message?: string): Promise<void> {
    await this.ok("POST", `/v1/sessions/${id}/permissions/${permission_id}/reply`, { reply, message })
  }

  async answer(id: string, { question_id }: Question, answers: string[][]): Promise<void> {
    await this.ok("POST", `/v1/sessions/${id}/questions/${question_id}/reply`, { answers })
  }

  async reject(id: string, { question_id }: Question, message: string): Promise<void> {
    await this.ok("POST", `/v1/sessions/${id}/questions/${question_id}/reject`, { message })
  }

  /** When the change comes into force, where the protocol tells. */
  async change(id: string, change: Change): Promise<string | undefined> {
    return (await this.ok<{ applied: string }>("PATCH", `/v1/sessions/${id}`, change)).applied
  }

  fork(id: string, fork: string, given: Fork = {}): Promise<{ healthy: boolean }> {
    return this.ok("POST", `/v1/sessions/${id}/fork`, { id: fork, ...given })
  }

  async terminate(id: string): Promise<void> {
    await this.ok("POST", `/v1/sessions/${id}/terminate`)
  }

  resume(id: string): Promise<{ healthy: boolean }> {
    return this.ok("POST", `/v1/sessions/${id}/resume`)
  }

  async blob(id: string, hash: string | undefined): Promise<Buffer> {
    const { url, headers, signal } = this
    return Buffer.from(await (await fetch(`${url}/v1/sessions/${id}/blobs/${hash}`, { headers, signal })).arrayBuffer())
  }

  async modes(agent: string): Promise<Mode[]> {
    return (await this.ok<{ modes: Mode[] }>("GET", `/v1/agents/${agent}/modes`)).modes
  }

  models(agent: string): Promise<{ models: Model[]; defaultModel?: string }> {
    return this.ok("GET", `/v1/agents/${agent}/models`)
  }

  async metrics(): Promise<string> {
    return (await this.call<string>("GET", "/metrics")).body
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
  async events(id: string, query = "", after = 0): Promise<Event[]> {
    const all: Event[] = []
    for (let offset = after, more = true; more; ) {
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
