import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeAnswer, Sink } from "../../core/driver.ts"
import { answersIn, questionsIn } from "./asked-questions.ts"
import { elicitationAnswer, elicitationQuestion } from "./elicitation.ts"
import { type Json, list, record, text } from "./json.ts"
import type { RpcId } from "./peer.ts"
import { CANCELLED, outcomeOf, permissionOf } from "./permission.ts"
import type { ToolCalls } from "./tool-calls.ts"

interface Open {
  id: RpcId
  method: string
  params: Json
  /** The call that shows the question, where the agent shows none. */
  shown?: string
}

export interface Answering {
  respond(id: RpcId, result: object): Promise<void>
}

/** What the agent asks of a person and waits for. Always answered for this once: rules are the core's. */
export class Asks {
  readonly #open = new Map<string, Open>()
  /** A tool was refused in this turn. */
  refused: string | undefined

  constructor(
    private readonly sink: Sink,
    private readonly tools: ToolCalls,
    private readonly answering: Answering,
  ) {}

  permission(id: RpcId, params: Json): void {
    const tool = this.tools.asked(record(params.toolCall))
    const key = this.#keep(id, "session/request_permission", params)
    const what = questionsIn(tool) ?? permissionOf(tool, list(params.options))
    this.sink.ask({ key, call: tool.id || undefined, ...what })
  }

  elicitation(id: RpcId, params: Json): void {
    const call = text(params.toolCallId)
    const what = elicitationQuestion(params)
    const shown = call !== undefined && !this.tools.knows(call) ? call : undefined
    if (shown !== undefined) this.tools.asked(questionCall(shown, params, what.questions))
    const key = this.#keep(id, "elicitation/create", params, shown)
    this.sink.ask({ key, call, ...what })
  }

  async answer(key: string, answer: NativeAnswer): Promise<void> {
    const open = this.#open.get(key)
    if (open === undefined) return
    this.#open.delete(key)
    const { id, method, params, shown } = open
    if (method === "elicitation/create") {
      if (shown !== undefined) this.tools.update(questionResult(shown, params, answer))
      return this.answering.respond(id, formAnswer(params, answer))
    }
    if (answer.kind === "permission" && answer.reply === "reject") {
      this.tools.refused(text(record(params.toolCall).toolCallId) ?? "", answer.message)
      this.refused = answer.message ?? ""
    }
    const answers = answer.kind === "question" ? { answers: answersIn(answer.answers) } : {}
    await this.answering.respond(id, { ...outcomeOf(list(params.options), answer), ...answers })
  }

  /** The agent no longer waits; it is told so itself, as the protocol wants. */
  withdrawn(requestId: unknown): RpcId | undefined {
    const key = keyOf(requestId as RpcId)
    const open = this.#open.get(key)
    if (open === undefined) return undefined
    this.#open.delete(key)
    this.sink.unask(key)
    return open.id
  }

  /** Nobody answers any more: the turn is over or is to end. */
  cancelAll(): void {
    for (const [key, { id, method }] of [...this.#open]) {
      this.#open.delete(key)
      this.sink.unask(key)
      const result = method === "elicitation/create" ? { action: "cancel" } : CANCELLED
      // One that is gone needs no answer.
      this.answering.respond(id, result).catch(() => undefined)
    }
  }

  #keep(id: RpcId, method: string, params: Json, shown?: string): string {
    const key = keyOf(id)
    this.#open.set(key, { id, method, params, ...(shown !== undefined && { shown }) })
    return key
  }
}

/** Ids are texts or numbers, and 1 is not "1". */
const keyOf = (id: RpcId): string => `rpc:${JSON.stringify(id)}`

const questionCall = (toolCallId: string, params: Json, questions: readonly QuestionPart[]): Json => ({
  toolCallId,
  name: "question",
  title: text(params.message),
  kind: "other",
  rawInput: {
    questions: questions.map(({ prompt, options }) => ({ prompt, options: options.map(({ label }) => label) })),
  },
})

/** What was answered, so that the transcript has it; secrets are the agent's alone. */
function questionResult(toolCallId: string, params: Json, answer: NativeAnswer): Json {
  const answered = answer.kind === "question"
  const { questions } = elicitationQuestion(params)
  const said = answered ? answer.answers.map((given, i) => (questions[i]?.secret ? "***" : given.join(", "))) : []
  const rawOutput = answered ? said.join("\n") : "The user did not answer"
  return { sessionUpdate: "tool_call_update", toolCallId, status: answered ? "completed" : "failed", rawOutput }
}

function formAnswer(params: Json, answer: NativeAnswer): object {
  return answer.kind === "question" ? elicitationAnswer(params, answer.answers) : { action: "decline" }
}
