import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { NativeAnswer } from "../../core/driver.ts"
import type { RequestSink } from "../../core/driver-sink.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"
import { record, text } from "../shared/json.ts"
import { refusalText } from "../shared/refusal.ts"
import type { Client } from "./client.ts"
import type { PermissionRequest, QuestionRequest } from "./native.ts"
import { permissionOf } from "./permission.ts"
import { questionOf } from "./question.ts"
import type { Tools } from "./tools.ts"

type PendingRequest =
  | { type: "permission"; request: PermissionRequest }
  | { type: "question"; request: QuestionRequest }

const UNANSWERED = "The user does not want to answer this"

/** What OpenCode asks, of this session and of those it started. Always answered for this once: rules are the core's. */
export class PendingRequests {
  readonly #open = new Map<string, PendingRequest>()

  constructor(
    private readonly sink: RequestSink,
    private readonly tools: Tools,
    private readonly client: Client,
    private readonly directory: string,
  ) {}

  permission(request: PermissionRequest): void {
    if (this.#open.has(request.id)) return
    const asked = { type: "permission", request } as const
    this.#open.set(request.id, asked)
    this.#unlessUnread(asked, () => this.#askPermission(request))
  }

  question(request: QuestionRequest): void {
    if (this.#open.has(request.id)) return
    const asked = { type: "question", request } as const
    this.#open.set(request.id, asked)
    this.#unlessUnread(asked, () => this.#askQuestion(request))
  }

  /** What cannot be read is refused: OpenCode would wait for ever. */
  #unlessUnread(asked: PendingRequest, ask: () => void): void {
    try {
      ask()
    } catch (error) {
      this.#open.delete(asked.request.id)
      ignoreGone(this.#reply(asked.request.id, asked, { kind: "question_rejected" }))
      throw error
    }
  }

  #askPermission(request: PermissionRequest): void {
    const call = this.#call(request)
    const diff = text(record(request.metadata).diff)
    if (diff !== undefined && request.tool !== undefined)
      this.tools.showed(request.tool.messageID, request.tool.callID, diff)
    const what = permissionOf(request, call?.input ?? {}, this.directory)
    this.sink.ask({ key: request.id, ...(call !== undefined && { call: call.callId }), ...what }, this)
  }

  #askQuestion(request: QuestionRequest): void {
    const call = this.#call(request)
    this.sink.ask({ key: request.id, ...(call !== undefined && { call: call.callId }), ...questionOf(request) }, this)
  }

  /** Answered, by us or by OpenCode itself: the refusal of one permission refuses all that wait beside it. */
  resolved(key: string): void {
    if (this.#open.delete(key)) this.sink.unask(key)
  }

  async answer(key: string, answer: NativeAnswer): Promise<void> {
    const asked = this.#open.get(key)
    if (asked === undefined) return
    this.#open.delete(key)
    await this.#reply(key, asked, answer).catch(unlessGone)
  }

  /** After a stream was broken: what is still asked, and what no longer. */
  reconcile(permissions: readonly PermissionRequest[], questions: readonly QuestionRequest[]): void {
    const asked = new Set([...permissions, ...questions].map(({ id }) => id))
    for (const key of [...this.#open.keys()]) if (!asked.has(key)) this.resolved(key)
    for (const request of permissions) this.permission(request)
    for (const request of questions) this.question(request)
  }

  /** OpenCode keeps what an aborted turn had asked: it is told that nobody will answer. */
  async drop(): Promise<void> {
    const left = [...this.#open]
    this.#open.clear()
    for (const [key] of left) this.sink.unask(key)
    const refuse = ([key, asked]: [string, PendingRequest]) =>
      this.#reply(
        key,
        asked,
        asked.type === "permission" ? { kind: "permission", reply: "reject" } : { kind: "question_rejected" },
      )
    await Promise.all(left.map((one) => refuse(one).catch(unlessGone)))
  }

  #call({ tool }: PermissionRequest | QuestionRequest) {
    return tool === undefined ? undefined : this.tools.asked(tool.messageID, tool.callID)
  }

  async #reply(requestID: string, asked: PendingRequest, answer: NativeAnswer): Promise<void> {
    // Requests belong to a directory; with another one they are not found.
    const params = { requestID, directory: this.directory }
    if (asked.type === "permission") {
      const body =
        answer.kind === "permission" && answer.reply === "once" ? { reply: "once" as const } : refusal(answer)
      await this.client.call("POST /permission/{requestID}/reply", { params, body })
      return
    }
    const answers = answersTo(asked.request, answer)
    if (answers === undefined) await this.client.call("POST /question/{requestID}/reject", { params })
    else await this.client.call("POST /question/{requestID}/reply", { params, body: { answers } })
  }
}

/** Without words of its own a refusal may end the turn. */
const refusal = (answer: NativeAnswer) => ({
  reply: "reject" as const,
  message: refusalText("message" in answer ? answer.message : undefined),
})

/** `undefined`: it is dismissed. That carries no words, so a reason goes as the answer. */
function answersTo({ questions }: QuestionRequest, answer: NativeAnswer): string[][] | undefined {
  if (answer.kind === "question") return questions.map((_, index) => answer.answers[index] ?? [])
  const reason = "message" in answer ? answer.message : undefined
  return reason ? questions.map(() => [`${UNANSWERED}: ${reason}`]) : undefined
}

/** It was answered, or its turn is over. */
function unlessGone(error: unknown): void {
  if (SandboxAgentError.is(error) && error.code === "not_found") return
  throw error
}
