import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { replyPermission, replyQuestion } from "../../../src/core/replies.ts"
import type { Session } from "../../../src/core/session.ts"
import { createCodexDriver } from "../../../src/drivers/codex/driver.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import { type Message, RecordedServer } from "./recorded-server.ts"

interface RecordedLine {
  dir: "client->server" | "server->client" | "note"
  msg: Message & { note?: string }
}

const folder = fileURLToPath(new URL("../../fixtures/codex/", import.meta.url))

/** The parts of a transcript; some hold several runs, one behind the other. */
export function recorded(name: string): RecordedLine[][] {
  const text = readFileSync(`${folder}${name}.jsonl`, "utf8")
  const lines = text.split("\n").flatMap((line) => (line === "" ? [] : (JSON.parse(line) as RecordedLine)))
  const runs: RecordedLine[][] = [[]]
  for (const line of lines) {
    if (line.msg.note?.startsWith("===")) runs.push([])
    runs.at(-1)?.push(line)
  }
  return runs.filter((run) => run.length > 1)
}

/** What opens a thread, and what begins a turn. */
const openers = ["thread/start", "thread/fork"]
const starters = ["turn/start", "turn/steer", "review/start", "thread/compact/start"]

/** Plays a transcript through driver and core: what the client of then did, the core does now. */
export async function replay(lines: RecordedLine[]): Promise<DriverStage> {
  const player = new Player(lines)
  for (const [at, line] of lines.entries()) await player.play(line, at)
  await player.end()
  return player.stage
}

class Player {
  readonly server = new RecordedServer()
  readonly stage: DriverStage
  readonly #sessions = new Map<string, Session>()
  /** Ids of requests then, and now. */
  readonly #ids = new Map<number | string, number | string>()
  /** Sent and not yet seen as items; the client of then gave them no ids. */
  readonly #clientIds = new Map<string, string[]>()
  /** Lines that were said before their place. */
  readonly #saidEarly = new Set<number>()
  #runs = 0

  constructor(private readonly lines: RecordedLine[]) {
    const program = { installed: true, credentials: "available" as const, command: ["codex"] }
    const driver = createCodexDriver({ programs: alwaysThere(program), version: "0" })
    this.stage = new DriverStage(driver, () => this.server.supervisor)
  }

  async play({ dir, msg }: RecordedLine, at: number): Promise<void> {
    if (dir === "server->client") {
      if (!this.#saidEarly.has(at)) this.#said(msg)
      return this.stage.unheld()
    }
    if (dir === "note") return
    if (msg.method === "initialize" && this.#runs++ > 0) this.server.exit({ signal: "SIGKILL" })
    if (msg.method === undefined) return this.#answered(msg)
    const answer = this.#answerTo(msg, at)
    // The driver never sends nothing.
    if (Array.isArray(msg.params?.input) && msg.params.input.length === 0) return
    if (answer?.result === undefined) return // refused then, or never answered: the driver does not ask for such
    if (openers.includes(msg.method)) await this.#opened(answer)
    if (starters.includes(msg.method)) await this.#sent(msg, at)
    if (msg.method === "turn/interrupt") await this.#interrupted(msg)
  }

  /** What is left is cut off. */
  async end(): Promise<void> {
    // Ends that wait for dead commands come a moment later.
    while ([...this.#sessions.values()].some(({ turn }) => turn?.cancelling)) await Bun.sleep(5)
    const busy = [...this.#sessions.values()].some(({ turn }) => turn !== undefined)
    this.server.exit(busy ? { signal: "SIGKILL" } : { code: 0 })
    await this.stage.unheld()
  }

  #answerTo({ id }: Message, at: number): Message | undefined {
    for (const { dir, msg } of this.lines.slice(at + 1)) {
      if (msg.method === "initialize") return undefined
      if (dir === "server->client" && msg.method === undefined && msg.id === id) return msg
    }
    return undefined
  }

  async #opened(answer: Message): Promise<void> {
    const { thread } = answer.result as { thread: { id: string } }
    const id = `replayed-${this.#sessions.size + 1}`
    const created = this.stage.create(id, { agent: "codex" })
    const request = await this.server.until(({ method }) => method === "thread/start")
    // A file that is there: the thread can be resumed.
    const path = `${folder}text.jsonl`
    this.server.say({ id: request.id, result: { ...(answer.result as object), thread: { ...thread, path } } })
    this.#sessions.set(thread.id, await created)
  }

  #session({ params }: Message): Session {
    const session = this.#sessions.get(params?.threadId ?? "")
    if (session === undefined) throw new Error(`no session for thread ${params?.threadId}`)
    return session
  }

  async #sent(msg: Message, at: number): Promise<void> {
    const session = this.#session(msg)
    const { messageText, delivery } = { messageText: textOf(msg), delivery: session.turn ? "steer" : "queue" } as const
    await this.stage.post(messageText, { delivery }, session)
    this.#mcpServersStart(at)
    const request = await this.#request()
    this.#ids.set(msg.id ?? "", request.id ?? "")
    const clientId = request.params?.clientUserMessageId
    const thread = msg.params?.threadId ?? ""
    if (typeof clientId === "string") this.#clientIds.set(thread, [...(this.#clientIds.get(thread) ?? []), clientId])
  }

  /** The client of then sent its message while they were still starting. */
  #mcpServersStart(at: number): void {
    for (const [later, { dir, msg }] of this.lines.entries()) {
      if (later <= at || dir !== "server->client" || msg.method !== "mcpServer/startupStatus/updated") continue
      if (this.#saidEarly.has(later)) continue
      this.#saidEarly.add(later)
      this.#said(msg)
    }
  }

  /** A thread that was lost is resumed before its next turn. */
  async #request(): Promise<Message> {
    const request = await this.server.until(({ method = "" }) => [...starters, "thread/resume"].includes(method))
    if (request.method !== "thread/resume") return request
    this.server.say({ id: request.id, result: { thread: { id: request.params?.threadId, path: folder } } })
    return this.#request()
  }

  async #interrupted(msg: Message): Promise<void> {
    const session = this.#session(msg)
    if (session.turn === undefined || session.turn.cancelling) return
    void cancelTurn(session, {})
    const request = await this.server.until(({ method }) => method === "turn/interrupt")
    this.#ids.set(msg.id ?? "", request.id ?? "")
  }

  #said(msg: Message): void {
    if (msg.method !== undefined) return this.server.say(this.#withClientId(msg))
    const id = this.#ids.get(msg.id ?? "")
    if (id === undefined) return
    this.#ids.delete(msg.id ?? "")
    this.server.say({ ...msg, id })
  }

  #withClientId(msg: Message): Message {
    const { item, threadId = "" } = (msg.params ?? {}) as { item?: { type: string }; threadId?: string }
    if (msg.method !== "item/started" || item?.type !== "userMessage") return msg
    const clientId = this.#clientIds.get(threadId)?.shift()
    return { ...msg, params: { ...msg.params, item: { ...item, clientId } } }
  }

  /** Answers the request that the client answered then, in the same sense. */
  async #answered({ id, result }: Message): Promise<void> {
    for (const session of this.#sessions.values()) {
      const open = [...session.requests.values()].find(({ native }) => native.key === String(id))
      if (open === undefined) continue
      const given = (result ?? {}) as { decision?: unknown; action?: string; permissions?: object; answers?: object }
      const allowed =
        /accept/i.test(JSON.stringify(given.decision ?? given.action ?? "")) ||
        Object.keys(given.permissions ?? {}).length > 0
      if (open.native.type === "permission") await replyPermission(session, open.id, allowed ? "once" : "reject")
      else {
        const chosen = Object.values(given.answers ?? {}).map(({ answers }) => answers as string[])
        const content = Object.values((given as { content?: object }).content ?? {}).map((value) => [String(value)])
        const all = [...chosen, ...content]
        await replyQuestion(
          session,
          open.id,
          open.native.questions.map((_, i) => all[i] ?? []),
        )
      }
      await this.server.until((line) => line.method === undefined && line.id === id)
    }
  }
}

function textOf({ method, params }: Message): string {
  if (method === "review/start") return "/review look at it"
  if (method === "thread/compact/start") return "/compact"
  return JSON.stringify(params?.input)
}
