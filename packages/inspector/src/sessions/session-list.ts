import type { GlobalEvent, SandboxAgentClient, SandboxAgentError, SessionInfo } from "sandbox-agent"
import { isSandboxAgentError } from "sandbox-agent"
import { Store } from "../store.ts"

export interface ListState {
  loading: boolean
  sessions: readonly SessionInfo[]
  /** There are more than are listed. */
  hasMore: boolean
  link: "open" | "reconnecting"
  /** When something was heard last. */
  heardAt: number
  error?: SandboxAgentError
}

/** Something that the daemon is asked. Its answer comes another way than the stream, and may be older than what was heard there. */
interface Question {
  /** Sessions that something was heard of since it was asked. */
  heard: Set<string>
  /** Sessions of which it has nothing new to say: deleted, or answered by one that was asked later. */
  past: Set<string>
}

export type Followed = Pick<SessionInfo, "id" | "title" | "queue" | "background">

const listed = 1000
/** The client has tried again by itself before it gives up; this only keeps a refusal from becoming a loop. */
const askAgainMs = 2000
const empty: ListState = { loading: true, sessions: [], hasMore: false, link: "open", heardAt: Date.now() }

/** Every session of a daemon, whoever made it, as it is now. */
export class SessionList extends Store<ListState> {
  readonly #client: SandboxAgentClient
  readonly #stop = new AbortController()
  /** Sessions that are to be asked for again. */
  readonly #stale = new Set<string>()
  /** Those without an answer yet, in the order in which they were asked. */
  readonly #questions = new Set<Question>()
  #asking = false
  /** What the stream of the session that is looked at said last. */
  #followed: Followed | undefined

  constructor(client: SandboxAgentClient) {
    super(empty)
    this.#client = client
    void this.#run()
  }

  close(): void {
    this.#stop.abort()
  }

  /** What the stream of a session says that is not told of all sessions. Until it is left it is not asked for. */
  follow(followed: Followed): void {
    this.#followed = followed
    this.update((state) => ({ ...state, sessions: state.sessions.map((one) => this.#asFollowed(one)) }))
  }

  leave(id: string): void {
    if (this.#followed?.id === id) this.#followed = undefined
  }

  /** What its own stream said last is newer than any answer. */
  #asFollowed(session: SessionInfo): SessionInfo {
    return session.id === this.#followed?.id ? { ...session, ...this.#followed } : session
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#follow()
      } catch (thrown) {
        if (this.#stop.signal.aborted) return
        const error = isSandboxAgentError(thrown) ? thrown : undefined
        this.update((state) => ({ ...state, loading: false, link: "reconnecting", ...(error && { error }) }))
        await this.#pause(askAgainMs)
      }
    }
  }

  #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#stop.signal.addEventListener("abort", () => resolve(), { once: true })
    return promise.finally(() => clearTimeout(timer))
  }

  /** The stream first, then what there is: nothing falls in between. */
  async #follow(): Promise<void> {
    const { signal } = this.#stop
    let isLoaded = false
    const onState = ({ state }: { state: "open" | "reconnecting" }) => {
      const isBack = isLoaded && state === "open" && this.value.link === "reconnecting"
      this.update((before) => ({ ...before, link: state, heardAt: state === "open" ? Date.now() : before.heardAt }))
      if (isBack) void this.#loadAgain()
    }
    const stream = await this.#client.streamGlobalEvents({ signal, onState }).opened()
    await this.#load()
    isLoaded = true
    for await (const event of stream) this.#take(event)
  }

  /** A stream that never said anything does not know where it was, and what was asked while the daemon was away got no answer. */
  async #loadAgain(): Promise<void> {
    try {
      await this.#load()
    } catch (error) {
      // Away again: all is loaded when it is back.
      if (!this.#stop.signal.aborted && !isSandboxAgentError(error)) throw error
    }
  }

  #load(): Promise<void> {
    return this.#question(async (question) => {
      const all: SessionInfo[] = []
      let cursor: string | undefined
      do {
        const page = await this.#client.rest.listSessions({ limit: 200, cursor, signal: this.#stop.signal })
        all.push(...page.sessions)
        cursor = page.nextCursor
      } while (cursor !== undefined && all.length < listed)
      const { error: _, ...state } = this.value
      // Made after the list was answered.
      const isNew = ({ id }: SessionInfo) => question.heard.has(id) && all.every((one) => one.id !== id)
      this.set({
        ...state,
        loading: false,
        link: "open",
        sessions: [...state.sessions.filter(isNew), ...all.flatMap((one) => this.#answer(question, one) ?? [])],
        hasMore: cursor !== undefined,
        heardAt: Date.now(),
      })
    })
  }

  async #question(ask: (question: Question) => Promise<void>): Promise<void> {
    const question = { heard: new Set<string>(), past: new Set<string>() }
    this.#questions.add(question)
    try {
      await ask(question)
    } finally {
      this.#questions.delete(question)
    }
  }

  /** The session as it is now, by what was said of it and what was heard since that was asked. */
  #answer(question: Question, said: SessionInfo): SessionInfo | undefined {
    const known = this.value.sessions.find(({ id }) => id === said.id)
    if (question.past.has(said.id)) return known
    for (const earlier of this.#questions) {
      if (earlier === question) break
      earlier.past.add(said.id)
    }
    const isNewer = known !== undefined && question.heard.has(said.id)
    return this.#asFollowed(isNewer ? { ...said, status: known.status, pending: known.pending } : said)
  }

  #take({ type, session_id: id, data, time }: GlobalEvent): void {
    const now = Date.now()
    for (const { heard, past } of this.#questions) (type === "session.deleted" ? past : heard).add(id)
    if (type === "session.deleted") {
      return this.update((state) => ({
        ...state,
        heardAt: now,
        sessions: state.sessions.filter((one) => one.id !== id),
      }))
    }
    const change: Partial<SessionInfo> =
      type === "session.status"
        ? { status: data.status }
        : type === "session.pending"
          ? { pending: data }
          : type === "session.ended"
            ? { status: "ended" }
            : {}
    this.update((state) => ({
      ...state,
      heardAt: now,
      sessions: state.sessions.map((one) => (one.id === id ? { ...one, ...change, updatedAt: time } : one)),
    }))
    this.ask(id)
  }

  /** Titles, what waits in a queue, usage and failures are not told: asked for soon after something happened, once for all of it. */
  ask(id: string): void {
    this.#stale.add(id)
    if (this.#asking) return
    this.#asking = true
    setTimeout(() => void this.#askAll(), 250)
  }

  async #askAll(): Promise<void> {
    const ids = [...this.#stale]
    this.#stale.clear()
    this.#asking = false
    for (const id of ids) {
      try {
        await this.#question(async (question) => {
          const said = await this.#client.getSession(id, { signal: this.#stop.signal })
          const session = this.#answer(question, said)
          if (session !== undefined) this.put(session)
        })
      } catch (error) {
        if (this.#stop.signal.aborted) return
        if (!isSandboxAgentError(error)) throw error
        // Deleted meanwhile, or asked for again with the next event.
      }
    }
  }

  put(session: SessionInfo): void {
    this.update((state) => {
      const others = state.sessions.filter(({ id }) => id !== session.id)
      const at = state.sessions.findIndex(({ id }) => id === session.id)
      return { ...state, sessions: at < 0 ? [session, ...others] : state.sessions.with(at, session) }
    })
  }
}

export const waitsForPerson = ({ pending }: SessionInfo): number => pending.permissions + pending.questions
