import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import type { Permission, Question } from "@sandbox-agent/schema/request"
import type { Session } from "@sandbox-agent/schema/session"
import { callJson } from "../client.ts"
import type { Connection } from "../connection.ts"
import { follow, reconnectDelays } from "../follow.ts"
import { isHere } from "../here.ts"
import { type Paint, paintFor, printable, terminalOf } from "../print.ts"
import { errorText, problemOf } from "../problem.ts"
import { fit } from "../table.ts"
import { Editor } from "./editor.ts"
import { durationText } from "./footer.ts"
import { type Key, KeyReader } from "./keys.ts"
import { completePath, mentioned } from "./mentions.ts"
import { RawTerminal } from "./raw-terminal.ts"
import { OpenRequests, type Reply } from "./requests.ts"
import { type Bottom, inputRows, Screen } from "./screen.ts"
import { pathOf, slashCommands } from "./slash.ts"
import { ConversationView } from "./view.ts"

/** How long an Escape waits for the rest of a sequence. */
const escapeMs = 50
/** How often the time of a turn is drawn. */
const clockMs = 1_000

export interface ConversationOptions {
  readonly connection: Connection
  readonly session: Session
  readonly history: string[]
  /** What was said before. */
  readonly past?: readonly Item[]
  /** Events after this one are followed. */
  readonly offset: number
  /** Sent at once. */
  readonly first?: string
  /** Before the process is ended by a signal. */
  readonly onEnd: () => void
}

/** A conversation at the terminal, until somebody leaves or the session ends. Gives the exit code. */
export class Conversation {
  readonly #screen = new Screen()
  readonly #paint: Paint = paintFor(terminalOf())
  readonly #width = (): number => this.#screen.width
  readonly #view: ConversationView
  readonly #requests: OpenRequests
  readonly #keys = new KeyReader()
  readonly #editor: Editor
  readonly #left = Promise.withResolvers<number>()
  readonly #over = new AbortController()
  /** Messages that wait, by id. */
  readonly #queued = new Map<string, string>()
  /** Messages that wait no longer: this may be heard before the answer that they do. */
  readonly #begun = new Set<string>()
  #session: Session
  #running = false
  #stopping = false
  #note = ""
  /** The line that was being written when the agent asked. */
  #draft: string | undefined

  constructor(private readonly options: ConversationOptions) {
    this.#session = options.session
    this.#view = new ConversationView(this.#paint, this.#width, options.session.directory)
    this.#requests = new OpenRequests(this.#paint, this.#width, (text) => this.#view.short(text))
    this.#editor = new Editor(options.history)
    this.#running = options.session.status === "running"
  }

  async run(): Promise<number> {
    const terminal = new RawTerminal(this.#screen, (bytes) => this.#typed(bytes), this.options.onEnd)
    const resized = (): void => this.#screen.changed()
    process.stdout.on("resize", resized)
    const clock = setInterval(() => this.#running && this.#screen.changed(), clockMs)
    try {
      this.#screen.draw(() => this.#bottom())
      for (const item of this.options.past ?? []) this.#screen.print(this.#view.item(item))
      const events = this.#follow()
      await this.#askWhatIsOpen()
      if (this.options.first !== undefined) await this.#send(this.options.first)
      return await Promise.race([this.#left.promise, events])
    } finally {
      this.#over.abort()
      clearInterval(clock)
      process.stdout.off("resize", resized)
      await terminal.close()
    }
  }

  #isLost: boolean = false

  /** Until the session ends. A stream that ends before it does is one of a daemon that stopped: it is waited for. */
  async #follow(): Promise<number> {
    const { signal } = this.#over
    let last = this.options.offset
    let attempt = 0
    for (;;) {
      try {
        for await (const event of this.#events(last)) {
          attempt = 0
          last = event.sequence
          this.#see(event)
          if (event.type === "session.ended") return 0
        }
      } catch (error) {
        const isAway = SandboxAgentError.is(error) && (error.code === "unavailable" || error.code === "stream_error")
        if (!signal.aborted && (!isAway || attempt >= reconnectDelays.length)) throw error
      }
      if (signal.aborted) return 0
      if (!this.#isLost) this.#tell("connection lost, connecting again…")
      this.#isLost = true
      await Bun.sleep(reconnectDelays[attempt++] ?? 0)
    }
  }

  async *#events(after: number): AsyncGenerator<Event> {
    const { connection } = this.options
    const query = new URLSearchParams({ offset: String(after) })
    const path = `${pathOf(this.#session)}/events/sse`
    const request = { method: "GET", path, query, signal: this.#over.signal } as const
    const onConnect = () => {
      if (this.#isLost) this.#tell("connected again")
      this.#isLost = false
    }
    for await (const { data } of follow(connection, request, { reconnect: false, onConnect }))
      yield JSON.parse(data) as Event
  }

  /** Of a session that waited already: its requests are in the past that is not read again. */
  async #askWhatIsOpen(): Promise<void> {
    if (this.options.offset === 0) return
    const path = `${pathOf(this.#session)}/pending`
    const open = await callJson<{ permissions: Permission[]; questions: Question[] }>(this.options.connection, {
      method: "GET",
      path,
    })
    for (const permission of open.permissions) this.#requests.permission(permission)
    for (const question of open.questions) this.#requests.question(question)
    this.#setAside()
    this.#screen.changed()
  }

  /** What is written goes aside while something is asked, and comes back. */
  #setAside(): void {
    const asked = this.#requests.current !== undefined
    if (asked && this.#draft === undefined) {
      this.#draft = this.#editor.text
      if (this.#draft !== "") this.#requests.writing()
      this.#editor.clear()
    } else if (!asked && this.#draft !== undefined) {
      this.#editor.set(this.#draft)
      this.#draft = undefined
    }
  }

  #see(event: Event): void {
    this.#requests.see(event)
    this.#setAside()
    if (event.type === "turn.started") this.#running = true
    if (event.type === "turn.ended") {
      this.#running = false
      this.#stopping = false
    }
    if (event.type === "message.updated" && event.data.state !== "queued") {
      this.#queued.delete(event.data.message_id)
      this.#begun.add(event.data.message_id)
    }
    if (event.type === "session.updated") this.#updated(event.data)
    this.#screen.print(this.#view.event(event))
  }

  #updated({
    agent_mode,
    permission_mode,
    model,
    variant,
    title,
  }: Extract<Event, { type: "session.updated" }>["data"]): void {
    const s = this.#session
    this.#session = {
      ...s,
      agentMode: agent_mode ?? s.agentMode,
      permissionMode: permission_mode ?? s.permissionMode,
      model: model ?? s.model,
      variant: variant ?? s.variant,
      title: title ?? s.title,
    }
  }

  #bottom(): Bottom {
    const width = this.#width()
    const dim = (text: string): string => this.#paint("dim", fit(text, width))
    const request = this.#requests.rows()
    const { turnBegan } = this.#view
    const took = turnBegan === undefined ? "" : ` ${durationText(Math.max(0, Date.now() - turnBegan))}`
    const state = this.#stopping ? "stopping…" : `${this.#view.doing}${took} — Esc stops`
    const waiting = [...this.#queued.values()].map((text) => dim(`  waits: ${printable(text).split("\n")[0]}`))
    const { agent, agentMode, permissionMode, model } = this.#session
    const facts = [agent, model, agentMode, permissionMode === "default" ? undefined : permissionMode]
      .filter(Boolean)
      .join(" · ")
    const status = this.#note === "" ? `${facts} — /help` : this.#note
    const input = inputRows("› ", this.#editor.text, this.#editor.before, width)
    const asks = request.length > 0 && !this.#requests.takesText
    const tail = this.#view.tail()
    const above = [
      ...tail,
      ...(tail.length > 0 || request.length > 0 ? [""] : []),
      ...this.#view.plan(),
      ...(this.#running && request.length === 0 ? [this.#paint("cyan", fit(`● ${state}`, width))] : []),
      ...waiting,
      ...request,
    ]
    const row = above.length + (input.cursor?.row ?? 0)
    return {
      rows: [...above, ...(asks ? [] : input.rows), dim(status)],
      cursor: asks ? undefined : { row, column: input.cursor?.column ?? 0 },
    }
  }

  #typed(bytes: Uint8Array): void {
    for (const key of this.#keys.push(bytes)) this.#press(key)
    if (this.#keys.waits) setTimeout(() => this.#alone(), escapeMs)
    this.#screen.changed()
  }

  #alone(): void {
    for (const key of this.#keys.alone()) this.#press(key)
  }

  #press(key: Key): void {
    this.#note = ""
    this.#screen.changed()
    if (key.type === "interrupt") return this.#interrupt()
    if (key.type === "end-of-input" && this.#editor.text === "") return this.#left.resolve(0)
    if (this.#requests.current !== undefined) {
      const reply = this.#requests.press(key, this.#editor)
      this.#setAside()
      if (reply !== undefined) this.#work(this.#reply(reply))
      return
    }
    if (key.type === "escape") return this.#running ? this.#stop() : this.#editor.clear()
    if (key.type === "tab") return this.#complete()
    if (key.type !== "enter") return void this.#editor.press(key)
    if (this.#editor.text.trim() !== "") this.#work(this.#send(this.#editor.take()))
  }

  #complete(): void {
    const more = completePath(this.#editor.before, process.cwd())
    if (more !== undefined) this.#editor.press({ type: "text", text: more })
  }

  #interrupt(): void {
    if (this.#editor.text !== "") return this.#editor.clear()
    if (this.#running) return this.#stop()
    this.#note = "Ctrl-D leaves; the session stays"
  }

  #stop(): void {
    if (this.#stopping) return
    this.#stopping = true
    this.#work(callJson(this.options.connection, { method: "POST", path: `${pathOf(this.#session)}/cancel`, body: {} }))
  }

  async #reply({ path, body, said }: Reply): Promise<void> {
    this.#tell(this.#view.short(said))
    await callJson(this.options.connection, { method: "POST", path: `${pathOf(this.#session)}/${path}`, body })
  }

  async #send(text: string): Promise<void> {
    const [, name = "", rest = ""] = /^\/([a-z-]+)\s*(.*)$/s.exec(text.trim()) ?? []
    const command = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined
    if (command !== undefined) return await this.#command(command.run, rest)
    const { connection } = this.options
    const attachments = mentioned(text, process.cwd(), isHere(connection))
    const body = { message: text, ...(attachments.length > 0 && { attachments }) }
    const posted = await callJson<{ messageId: string; position: number }>(connection, {
      method: "POST",
      path: `${pathOf(this.#session)}/messages`,
      body,
    })
    if (this.#running && !this.#begun.has(posted.messageId)) this.#queued.set(posted.messageId, text)
    this.#screen.changed()
  }

  async #command(run: (typeof slashCommands)[string]["run"], rest: string): Promise<void> {
    const words = rest.split(/\s+/).filter((word) => word !== "")
    const context = { connection: this.options.connection, session: this.#session, quit: () => this.#left.resolve(0) }
    for (const line of await run(context, words)) this.#tell(line)
  }

  /** What fails is told, and the conversation goes on. */
  #work(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.#stopping = false
      this.#screen.print(errorText(problemOf(error)).split("\n"))
    })
  }

  #tell(text: string): void {
    this.#screen.print([this.#paint("dim", fit(printable(text).split("\n").join(" "), this.#width()))])
  }
}
