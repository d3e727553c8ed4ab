import { intervals } from "@sandbox-agent/schema/intervals"
import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { Meaning, NativeAnswer, PassthroughResponse } from "../../core/driver.ts"
import type { NativePermission, PassthroughSink, RequestSink } from "../../core/driver-sink.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"
import { type Json, list, record, text } from "../shared/json.ts"
import { answersIn, questionsIn } from "./asked-questions.ts"
import { elicitationAnswer, elicitationQuestion } from "./elicitation.ts"
import { type AgentRequest, answerForAgent, meaningOf } from "./passthrough-answers.ts"
import { type RpcId, rpcCodes } from "./peer.ts"
import { CANCELLED, outcomeOf, permissionOf } from "./permission.ts"
import type { ToolCalls } from "./tool-calls.ts"

interface Open extends AgentRequest {
  id: RpcId
  /** The call that shows the question, where the agent shows none. */
  shown?: string
}

/** A request that is none of the protocol's, while a client may answer it. */
interface Passed {
  id: RpcId
  late: ReturnType<typeof setTimeout>
}

/** `rule`: what "always" covers for the rest of the session. */
type ServiceRequest = Pick<NativePermission, "kind" | "action" | "detail" | "readOnly"> & { rule: string }

export interface Answering {
  respond(id: RpcId, result: unknown): Promise<void>
  refuse(id: RpcId, code: number, message: string, data?: unknown): Promise<void>
}

/** What the agent asks of a person and waits for. Always answered for this once: rules are the core's. */
export class PendingRequests {
  readonly #open = new Map<string, Open>()
  readonly #passed = new Map<string, Passed>()
  readonly #serviceRequests = new Map<string, (granted: boolean) => void>()
  #count = 0
  /** A tool was refused in this turn. */
  refused: string | undefined

  constructor(
    private readonly sink: PassthroughSink & RequestSink,
    private readonly tools: ToolCalls,
    private readonly answering: Answering,
    /** What a client may take to answer what only it can. */
    private readonly passedOnMs: number = intervals.passedOnMs,
  ) {}

  permission(id: RpcId, params: Json): void {
    const tool = this.tools.asked(record(params.toolCall))
    const method = "session/request_permission"
    const key = this.#keep({ id, method, params })
    const call = tool.id || undefined
    const questions = questionsIn(tool)
    // As a permission nobody could answer it.
    if (questions !== undefined) return this.sink.ask({ key, call, ...questions }, this)
    const what = permissionOf(tool, list(params.options))
    this.sink.ask({ key, call, passthrough: { method, params }, ...what }, this)
  }

  elicitation(id: RpcId, params: Json): void {
    const call = text(params.toolCallId)
    const what = elicitationQuestion(params)
    const shown = call !== undefined && !this.tools.knows(call) ? call : undefined
    if (shown !== undefined) this.tools.asked(questionCall(shown, params, what.questions))
    const method = "elicitation/create"
    const key = this.#keep({ id, method, params, ...(shown !== undefined && { shown }) })
    this.sink.ask({ key, call, passthrough: { method, params }, ...what }, this)
  }

  /** Whether we may do something for the agent that it did not ask a person for itself. */
  allow({ rule, ...permission }: ServiceRequest): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const key = `allow:${++this.#count}`
    this.#serviceRequests.set(key, resolve)
    this.sink.ask({ key, type: "permission", covers: [rule], always: [rule], ...permission }, this)
    return promise
  }

  meaning(key: string, passthrough: object): Meaning | undefined {
    const open = this.#open.get(key)
    return open === undefined ? undefined : meaningOf(open, record(passthrough))
  }

  /** Nothing of ours: a client of the agent's own protocol answers it, or nobody does. */
  passOn(id: RpcId, method: string): void {
    const key = keyOf(id)
    const nobody = () => ignoreGone(this.answering.refuse(id, rpcCodes.methodNotFound, `Method not found: ${method}`))
    if (!this.sink.passOn(method, key, this)) return nobody()
    const late = setTimeout(() => {
      this.#givenUp(key)
      nobody()
    }, this.passedOnMs)
    late.unref()
    this.#passed.set(key, { id, late })
  }

  async reply(key: string, response: PassthroughResponse): Promise<void> {
    const passed = this.#taken(key)
    if (passed === undefined) return
    if ("result" in response) return this.answering.respond(passed.id, response.result)
    const { code, message, data } = response.error
    await this.answering.refuse(passed.id, code, message, data)
  }

  async answer(key: string, answer: NativeAnswer): Promise<void> {
    if (this.#serviceRequests.has(key))
      return this.#granted(key, answer.kind === "permission" && answer.reply === "once")
    const open = this.#open.get(key)
    if (open === undefined) return
    this.#open.delete(key)
    const { id, method, params, shown } = open
    const passthrough = answer.passthrough === undefined ? undefined : answerForAgent(open, record(answer.passthrough))
    if (method === "elicitation/create") {
      if (shown !== undefined) this.tools.update(questionResult(shown, params, answer))
      return this.answering.respond(id, passthrough ?? formAnswer(params, answer))
    }
    if (answer.kind === "permission" && answer.reply === "reject") {
      this.tools.refused(text(record(params.toolCall).toolCallId) ?? "", answer.message)
      this.refused = answer.message ?? ""
    }
    if (passthrough !== undefined) return this.answering.respond(id, passthrough)
    const answers = answer.kind === "question" ? { answers: answersIn(answer.answers) } : {}
    await this.answering.respond(id, { ...outcomeOf(list(params.options), answer), ...answers })
  }

  /** The agent no longer waits; it is told so itself, as the protocol wants. */
  withdrawn(requestId: unknown): RpcId | undefined {
    const key = keyOf(requestId as RpcId)
    const open = this.#open.get(key)
    if (open === undefined) return this.#givenUp(key)?.id
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
      ignoreGone(this.answering.respond(id, result))
    }
    for (const key of [...this.#serviceRequests.keys()]) {
      this.sink.unask(key)
      this.#granted(key, false)
    }
    for (const key of [...this.#passed.keys()]) {
      const passed = this.#givenUp(key)
      if (passed !== undefined) ignoreGone(this.answering.refuse(passed.id, rpcCodes.cancelled, "Request cancelled"))
    }
  }

  /** The process is gone: nobody waits. */
  forget(): void {
    for (const key of [...this.#passed.keys()]) this.#taken(key)
    for (const key of [...this.#serviceRequests.keys()]) this.#granted(key, false)
  }

  #granted(key: string, yes: boolean): void {
    this.#serviceRequests.get(key)?.(yes)
    this.#serviceRequests.delete(key)
  }

  #keep(open: Open): string {
    const key = keyOf(open.id)
    this.#open.set(key, open)
    return key
  }

  /** No client can answer it any more. */
  #givenUp(key: string): Passed | undefined {
    const passed = this.#taken(key)
    if (passed !== undefined) this.sink.unask(key)
    return passed
  }

  #taken(key: string): Passed | undefined {
    const passed = this.#passed.get(key)
    this.#passed.delete(key)
    clearTimeout(passed?.late)
    return passed
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
