import { errors } from "@sandbox-agent/schema/error"
import type { Event, EventOf } from "@sandbox-agent/schema/event"
import { askPermission, askQuestion, type Prompt } from "./ask.ts"
import { callJson } from "./client.ts"
import type { Connection } from "./connection.ts"
import { follow } from "./follow.ts"
import { line, note, out, type Paint, paintFor, terminalOf } from "./print.ts"
import { report } from "./problem.ts"
import { terminalPrompt } from "./prompt.ts"
import { Transcript } from "./transcript.ts"

export interface TurnOptions {
  readonly session: string
  readonly message: string
  readonly json: boolean
  readonly permissionMode: string | undefined
  readonly onInterrupt: () => void
}

/** Sends the message, prints the turn as it comes, answers what is asked, and gives the exit code. */
export async function streamTurn(connection: Connection, options: TurnOptions): Promise<number> {
  const request = {
    method: "POST",
    path: `/v1/sessions/${options.session}/messages/stream`,
    body: { message: options.message },
  } as const
  const person = process.stdin.isTTY ? terminalPrompt(options.onInterrupt) : undefined
  const transcript = new Transcript(paintFor(terminalOf()), { sent: true, asked: person !== undefined })
  const asks = new Asks(connection, options, person?.prompt)
  let exit = errors.stream_error.exit as number
  try {
    for await (const frame of follow(connection, request, { reconnect: false })) {
      const event = JSON.parse(frame.data) as Event
      if (options.json) await line(frame.data)
      else await out(transcript.event(event))
      asks.see(event)
      exit = exitOf(event) ?? exit
    }
    if (!options.json) await out(transcript.end())
    return exit
  } finally {
    asks.end()
    person?.close()
  }
}

/** What the end of a turn, or of a message that got none, means for the exit code. */
export function exitOf(event: Event): number | undefined {
  if (event.type === "message.updated") {
    const lost = event.data.state === "failed" || event.data.state === "withdrawn"
    return lost ? exitOfCode(event.data.error?.code) : undefined
  }
  if (event.type !== "turn.ended") return undefined
  const { stop_reason: reason, error } = event.data
  if (reason === "end_turn") return 0
  return reason === "cancelled" ? 130 : reason === "error" ? exitOfCode(error?.code) : 1
}

const exitOfCode = (code: string | undefined): number =>
  code && Object.hasOwn(errors, code) ? errors[code as keyof typeof errors].exit : 1

/** Answers permissions and questions one after the other, while the stream goes on. */
class Asks {
  private queue: Promise<void> = Promise.resolve()
  private readonly settled = new Set<string>()
  private over: boolean = false
  private readonly paint: Paint = paintFor(terminalOf(process.stderr))

  constructor(
    private readonly connection: Connection,
    private readonly options: TurnOptions,
    private readonly prompt: Prompt | undefined,
  ) {}

  see(event: Event): void {
    if (event.type === "permission.resolved") this.settled.add(event.data.permission_id)
    else if (event.type === "question.resolved") this.settled.add(event.data.question_id)
    else if (event.type === "permission.requested")
      this.add(event.data.permission_id, () => this.permission(event.data))
    else if (event.type === "question.requested") this.add(event.data.question_id, () => this.question(event.data))
  }

  /** What is still asked needs no answer any more. */
  end(): void {
    this.over = true
  }

  private add(id: string, answer: () => Promise<void>): void {
    this.queue = this.queue
      .then(() => (this.settled.has(id) ? undefined : answer()))
      // An answer that came too late is not the end of the turn.
      .catch(async (error) => void (await report(error, this.options.json)))
  }

  private async permission(permission: EventOf<"permission.requested">["data"]): Promise<void> {
    if (!this.prompt && this.options.permissionMode === undefined)
      await note(
        "a permission was rejected, since there is no terminal to ask at; choose with --permission-mode what the agent may do",
      )
    const reply = this.prompt ? await askPermission(permission, this.prompt, this.paint) : "reject"
    await this.post(permission.permission_id, `permissions/${encodeURIComponent(permission.permission_id)}/reply`, {
      reply,
    })
  }

  private async question(question: EventOf<"question.requested">["data"]): Promise<void> {
    if (!this.prompt) await note("a question was rejected, since there is no terminal to ask at")
    const answers = this.prompt ? await askQuestion(question, this.prompt, this.paint) : undefined
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
