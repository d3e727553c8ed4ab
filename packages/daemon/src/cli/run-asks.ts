import type { Event, EventOf } from "@sandbox-agent/schema/event"
import { askPermission, askQuestion } from "./ask.ts"
import { callJson } from "./client.ts"
import type { Connection } from "./connection.ts"
import { permissionText } from "./event-text.ts"
import { note, type Paint, paintFor, printable, terminalOf } from "./print.ts"
import { report } from "./problem.ts"
import type { TerminalPrompt } from "./prompt.ts"

export interface AskOptions {
  readonly session: string
  readonly json: boolean
  /** As given. */
  readonly permissionMode: string | undefined
}

/** Answers permissions and questions one after the other, while the stream goes on. */
export class PendingRequests {
  private queue: Promise<void> = Promise.resolve()
  private readonly settled = new Set<string>()
  private asking: string = ""
  private over: boolean = false
  private readonly paint: Paint = paintFor(terminalOf(process.stderr))

  constructor(
    private readonly connection: Connection,
    private readonly options: AskOptions,
    private readonly person: TerminalPrompt | undefined,
  ) {}

  see(event: Event): void {
    if (event.type === "permission.resolved") this.settle(event.data.permission_id)
    else if (event.type === "question.resolved") this.settle(event.data.question_id)
    else if (event.type === "permission.requested") {
      // What a rule or the mode decides says so at once: a person need not see the question.
      if (event.data.by === undefined) this.add(event.data.permission_id, () => this.permission(event.data))
    } else if (event.type === "question.requested") this.add(event.data.question_id, () => this.question(event.data))
  }

  /** What is still asked needs no answer any more. */
  end(): void {
    this.over = true
  }

  private settle(id: string): void {
    this.settled.add(id)
    if (this.asking === id) this.person?.dismiss()
  }

  private add(id: string, answer: () => Promise<void>): void {
    this.queue = this.queue
      .then(() => {
        this.asking = id
        return this.settled.has(id) ? undefined : answer()
      })
      // An answer that came too late is not the end of the turn.
      .catch(async (error) => void (await report(error, this.options.json)))
  }

  private async permission(permission: EventOf<"permission.requested">["data"]): Promise<void> {
    if (!this.person) await note(this.rejected(permission))
    const reply = this.person ? await askPermission(permission, this.person.prompt, this.paint) : "reject"
    await this.post(permission.permission_id, `permissions/${encodeURIComponent(permission.permission_id)}/reply`, {
      reply,
    })
  }

  /** Said of each: what an agent was kept from decides what its answer is worth. */
  private rejected(permission: EventOf<"permission.requested">["data"]): string {
    const { permissionMode } = this.options
    const what = `a permission was rejected, since there is no terminal to ask at: ${printable(permissionText(permission))}`
    return permissionMode === undefined
      ? `${what}; choose with --permission-mode what the agent may do`
      : `${what}; --permission-mode ${permissionMode} does not allow it`
  }

  private async question(question: EventOf<"question.requested">["data"]): Promise<void> {
    if (!this.person) await note("a question was rejected, since there is no terminal to ask at")
    const answers = this.person ? await askQuestion(question, this.person.prompt, this.paint) : undefined
    const id = question.question_id
    const path = `questions/${encodeURIComponent(id)}`
    if (answers) await this.post(id, `${path}/reply`, { answers })
    else await this.post(id, `${path}/reject`, {})
  }

  private async post(id: string, path: string, body: unknown): Promise<void> {
    // Decided elsewhere, or cancelled with its turn, while the person thought about it.
    if (this.over || this.settled.has(id)) return
    await callJson(this.connection, { method: "POST", path: `/v1/sessions/${this.options.session}/${path}`, body })
  }
}
