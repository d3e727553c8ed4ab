import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { intervals } from "@sandbox-agent/schema/intervals"
import type { Item } from "@sandbox-agent/schema/item"
import type { Attachment } from "@sandbox-agent/schema/message"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { Core, daemonIdOf } from "../../src/core/core.ts"
import { createSession } from "../../src/core/creation.ts"
import type { Deadlines } from "../../src/core/deadline.ts"
import type { Driver } from "../../src/core/driver.ts"
import { post } from "../../src/core/post.ts"
import type { Program, Programs } from "../../src/core/programs.ts"
import { replyPermission, replyQuestion } from "../../src/core/replies.ts"
import type { Session } from "../../src/core/session.ts"
import type { Supervisor } from "../../src/core/supervisor.ts"
import { Rows } from "../../src/store/rows.ts"
import { Store } from "../../src/store/store.ts"
import { checkLog } from "../core/checks.ts"
import { CoreLog, type Of } from "../harness/core-log.ts"
import { scratch } from "../harness/daemon.ts"

/** A program that needs no install. */
export const alwaysThere = (program: Program): Programs => ({
  locate: async () => program,
  install: async () => program,
  ensure: async () => program,
})

/** Whether an agent opens and answers must not depend on how busy the machine is: it has as long as a test has. */
const patient = { openMs: 120_000, answerMs: 60_000, configureMs: 60_000, interruptMs: 60_000 }

/** A real core on a memory store with sessions of one driver. `await using stage = …`. */
export class DriverStage extends CoreLog implements AsyncDisposable {
  readonly directory = scratch()
  readonly workspace = join(this.directory, "workspace")
  readonly core: Core
  #sessions: Session[] = []

  constructor(driver: Driver, supervisor: (daemonId: string) => Supervisor, patience: Partial<Deadlines> = {}) {
    super()
    mkdirSync(this.workspace)
    const store = new Store({ kind: "memory", directory: this.directory })
    const rows = new Rows(store.db)
    this.core = new Core({
      store,
      rows,
      log: (level, message, fields) => level === "error" && console.error(message, fields),
      directory: this.directory,
      drivers: new Map([[driver.agent, driver]]),
      supervisor: supervisor(daemonIdOf(rows)),
      defaultDirectory: this.workspace,
      idleStopMs: 600_000,
      retention: {},
      deadlines: { ...patient, ...patience },
      // What a driver waits for by itself.
      intervals: { ...intervals, openMs: patient.openMs },
    })
  }

  /** While something is done the core waits otherwise: the agent does not answer, and nobody wants to wait for that. */
  async waiting<T>(patience: Partial<Deadlines>, work: () => Promise<T>): Promise<T> {
    const { deadlines } = this.core.context
    const before = { ...deadlines }
    Object.assign(deadlines, patience)
    try {
      return await work()
    } finally {
      Object.assign(deadlines, before)
    }
  }

  get session(): Session {
    const [first] = this.#sessions
    if (first === undefined) throw new Error("no session was created")
    return first
  }

  keep(session: Session): Session {
    this.#sessions.push(session)
    return session
  }

  async create(id: string, body: Partial<CreateSession> = {}): Promise<Session> {
    const { session, error } = await createSession(this.core.sessions, id, { agent: "claude", ...body })
    if (error !== undefined) throw new Error(`${error.code}: ${error.message} ${JSON.stringify(error.stderr)}`)
    return this.keep(session)
  }

  async post(
    message: string,
    more: { messageId?: string; delivery?: "queue" | "steer"; attachments?: Attachment[] } = {},
    s = this.session,
  ): Promise<string> {
    const { attachments = [], ...rest } = more
    const { messageId } = await post(s, { message, attachments, ...rest })
    return messageId
  }

  /** Posts a message and waits for the end of the turn that took it. */
  async run(message: string, s = this.session, attachments?: Attachment[]): Promise<Of<"turn.ended">["data"]> {
    const id = await this.post(message, { attachments }, s)
    return (await this.until("turn.ended", ({ data }) => data.message_ids.includes(id), s)).data
  }

  /** The n-th permission, from 1. */
  async permission(n = 1, s = this.session): Promise<Of<"permission.requested">["data"]> {
    await this.until("permission.requested", () => this.of("permission.requested", s).length >= n, s)
    return (this.of("permission.requested", s)[n - 1] as Of<"permission.requested">).data
  }

  async question(n = 1, s = this.session): Promise<Of<"question.requested">["data"]> {
    await this.until("question.requested", () => this.of("question.requested", s).length >= n, s)
    return (this.of("question.requested", s)[n - 1] as Of<"question.requested">).data
  }

  reply(id: string, reply: "once" | "always" | "reject", message?: string) {
    return replyPermission(this.session, id, reply, message)
  }

  answer(id: string, answers: string[][]) {
    return replyQuestion(this.session, id, answers)
  }

  items(s = this.session): Item[] {
    return this.of("item.completed", s).map(({ data }) => data.item)
  }

  /** The transcript in short: `role: text`, `call NAME`, `result OUTPUT`. */
  transcript(s = this.session): string[] {
    return this.items(s)
      .filter(({ kind }) => kind !== "status")
      .flatMap(lineOf)
  }

  labels(s = this.session): string[] {
    return this.items(s).flatMap(({ content }) => content.flatMap((part) => (part.type === "status" ? part.label : [])))
  }

  /** What waits for a file has been told: a real pipe would not have been read meanwhile. */
  async unheld(): Promise<void> {
    for (const s of this.#sessions) while (s.held !== undefined) await s.held
  }

  get faults(): Record<string, number> {
    return Object.fromEntries(this.core.context.faults)
  }

  /** Everything that is wrong with the logs, in words. */
  wrongs(open = false): string[] {
    return this.#sessions.flatMap((s) => [
      ...checkLog(this.events(s), { open }),
      ...this.of("agent.unparsed", s).map(({ data }) => `unparsed: ${data.error}`),
      ...this.items(s)
        .filter(({ kind }) => kind === "unknown")
        .map(({ content }) => `unknown: ${JSON.stringify(content).slice(0, 300)}`),
      ...Object.entries(this.faults).map(([fault, count]) => `fault ${fault}: ${count}`),
    ])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.core.stop()
    await this.core.context.supervisor.stopAll()
    this.core.context.store.close()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

function lineOf({ kind, role, content, parent_id }: Item): string[] {
  const inner = parent_id === undefined ? "" : "  "
  return content.flatMap((part) => {
    if (part.type === "text") return `${inner}${role}: ${part.text}`
    if (part.type === "reasoning") return `${inner}thinks: ${part.text}`
    if (part.type === "tool_call") return `${inner}call ${part.name}`
    if (part.type === "tool_result") return `${inner}result ${part.output}`
    return part.type === "file_ref" || part.type === "image" ? `${inner}${part.type}` : `${inner}${kind}`
  })
}
