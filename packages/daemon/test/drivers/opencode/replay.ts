import { cancelTurn } from "../../../src/core/cancel.ts"
import { createSession } from "../../../src/core/creation.ts"
import { post } from "../../../src/core/post.ts"
import { rejectQuestion, replyPermission, replyQuestion } from "../../../src/core/replies.ts"
import type { Session } from "../../../src/core/session.ts"
import { createOpencodeDriver } from "../../../src/drivers/opencode/driver.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import { RecordedServer } from "./recorded-server.ts"
import { type Entry, isPrompt, nativeLine, recorded, userMessageOf } from "./transcripts.ts"

/** Plays a transcript through driver and core: what the host of then did, the core does now. */
export class Replay extends DriverStage {
  readonly server: RecordedServer
  /** By native id, those that sub-agents have under the one they belong to. */
  readonly sessions = new Map<string, Session>()
  #played = 0
  #cancelled: Promise<unknown> = Promise.resolve()

  constructor() {
    const server = new RecordedServer(recorded("catalog"))
    const program = { installed: true, credentials: "available" as const, command: ["opencode"] }
    super(createOpencodeDriver({ programs: alwaysThere(program) }), () => server.supervisor)
    this.server = server
  }

  /** To its end, or before the first entry that is so. */
  async play(entries: readonly Entry[], before: (entry: Entry) => boolean = () => false): Promise<void> {
    for (const [at, entry] of entries.entries()) {
      if (at < this.#played) continue
      if (before(entry)) return
      this.#played = at + 1
      if (entry.kind === "sse") await this.#say(entry)
      if (entry.kind === "note" && entry.note === "killed") await this.server.die()
      if (entry.kind === "response" && entry.path?.endsWith("/abort")) this.server.aborts.shift()?.resolve()
      if (entry.kind === "request" && entry.method === "POST") await this.#request(entries, at, entry)
    }
    // Answers that were never recorded must not be waited for.
    for (const asked of this.server.aborts.splice(0)) asked.resolve()
    await this.#cancelled
  }

  /** What was not played yet. */
  rest = (name: string): Promise<void> => this.play(recorded(name))

  /** Waits until it has been read: what comes next may depend on it. */
  async #say(entry: Entry): Promise<void> {
    const line = nativeLine(entry)
    if (line === undefined) return
    const { sessionID = "", info } = line.properties ?? {}
    const parent = info?.parentID === undefined ? undefined : this.sessions.get(info.parentID)
    if (line.type === "session.created" && parent !== undefined) this.sessions.set(sessionID, parent)
    const session = this.sessions.get(sessionID)
    const before = session?.rawCount ?? 0
    this.server.say({ directory: "/workspace/a", payload: line })
    // Its own announcement comes before the core knows the session; one that has ended is no longer listened to.
    const heard = session !== undefined && session.native !== undefined && line.type !== "sync"
    if (heard) await until(() => session.rawCount > before || session.native === undefined, `${line.type} to be read`)
  }

  async #request(entries: readonly Entry[], at: number, entry: Entry): Promise<void> {
    const { path = "", body = {} } = entry
    const answer = entries.slice(at + 1).find((one) => one.kind.startsWith("response") && one.path === path)
    if ((answer?.status ?? 500) >= 400) return
    const [, kind, id = "", verb] = path.split(/[/?]/)
    if (kind === "session" && verb === undefined) return this.#create(answer?.body ?? {})
    const session = this.sessions.get(id)
    if (session !== undefined && isPrompt(entry) && body.noReply !== true)
      return this.#prompt(entries, at, entry, session)
    // Of a turn that is being stopped already the core asks no second time; the host of then did.
    if (session !== undefined && verb === "abort" && session.turn?.cancelling === false) {
      this.#cancelled = cancelTurn(session, {})
      return until(() => this.server.aborts.length > 0, "the abort")
    }
    if (kind === "permission" || path.includes("/permissions/")) {
      const key = kind === "permission" ? id : (path.split("/").at(-1) ?? "")
      return this.#permission(key, String(body.reply ?? body.response))
    }
    if (kind === "question") return this.#question(id, body.answers as string[][] | undefined)
  }

  async #create(made: object & { id?: string }): Promise<void> {
    this.server.sessions.push(made)
    const name = `replayed-${this.sessions.size}`
    const { session, error } = await createSession(this.core.sessions, name, { agent: "opencode" })
    if (error !== undefined) throw new Error(error.message)
    this.sessions.set(made.id ?? "", this.keep(session))
  }

  async #prompt(
    entries: readonly Entry[],
    at: number,
    { path = "", body = {} }: Entry,
    session: Session,
  ): Promise<void> {
    // The core sends nothing into a turn that is being stopped; the host of then did.
    if (this.server.aborts.length > 0) return
    await this.#cancelled
    const said = path.endsWith("/command") ? `/${body.command}` : JSON.stringify(body.parts)
    const before = new Set(this.server.prompts.map(({ messageID }) => messageID))
    // One that was sent again, under the id it has, is not this one.
    const mine = () => this.server.prompts.find(({ messageID }) => !before.has(messageID))
    await post(session, { message: said, delivery: session.turn === undefined ? "queue" : "steer" })
    await until(() => mine() !== undefined, `the prompt ${said.slice(0, 100)}`)
    const then = userMessageOf(entries, at, path.split("/")[2] ?? "")
    const now = mine()?.messageID
    if (then !== undefined && now !== undefined) this.server.names.set(then, now)
  }

  async #permission(key: string, reply: string): Promise<void> {
    for (const session of new Set(this.sessions.values()))
      for (const { id, native } of session.requests.values())
        if (native.key === key) await replyPermission(session, id, reply as "once" | "always" | "reject")
  }

  async #question(key: string, answers: string[][] | undefined): Promise<void> {
    for (const session of new Set(this.sessions.values()))
      for (const { id, native } of session.requests.values())
        if (native.key === key)
          await (answers === undefined ? rejectQuestion(session, id) : replyQuestion(session, id, answers))
  }
}

/** Plays what came up to an entry and including it. */
export async function recordedUntil(name: string, last: (entry: Entry) => boolean): Promise<Replay> {
  const stage = new Replay()
  const entries = recorded(name)
  const end = entries.findIndex(last)
  await stage.play(entries, (entry) => entries.indexOf(entry) > end)
  return stage
}

/** Over a socket, but of the same program: a matter of moments. */
async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`)
    await Bun.sleep(1)
  }
}

export async function replay(name: string): Promise<Replay> {
  const stage = new Replay()
  try {
    await stage.play(recorded(name))
    return stage
  } catch (error) {
    await stage[Symbol.asyncDispose]()
    throw error
  }
}
