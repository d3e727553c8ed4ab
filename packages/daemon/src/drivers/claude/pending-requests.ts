import type { NativeAnswer } from "../../core/driver.ts"
import type { LineSink, NativePermission, NativeQuestion, RequestSink } from "../../core/driver-sink.ts"
import type { Confinement } from "../../files/confinement.ts"
import { elicitationAnswer, elicitationQuestion } from "../shared/elicitation.ts"
import { ignoreGone } from "../shared/ignore-gone.ts"
import { record } from "../shared/json.ts"
import { refusalText } from "../shared/refusal.ts"
import { proposedDiff } from "./files.ts"
import type { ControlRequestLine, ToolAsk } from "./native.ts"
import { permissionOf } from "./permission.ts"
import { APPROVE, answeredInput, planQuestion, questionOf, REJECT } from "./question.ts"
import type { Tasks } from "./tasks.ts"
import { fileTools, pathOf } from "./tool-call.ts"

type PendingRequest = ControlRequestLine["request"]

export interface Answering {
  /** Every request of Claude Code gets exactly one of these, except those it takes back. */
  reply(id: string, payload: unknown): Promise<void>
  refuse(id: string, why: string): Promise<void>
}

/** What Claude Code asks of us and waits for. Always answered for this once: rules are the core's. */
export class PendingRequests {
  readonly #open = new Map<string, PendingRequest>()

  constructor(
    private readonly sink: LineSink & RequestSink,
    private readonly tasks: Tasks,
    private readonly answering: Answering,
    private readonly reach: Confinement,
    private readonly decides: (path: string) => Promise<boolean>,
  ) {}

  request({ request_id: key, request }: ControlRequestLine): void {
    if (request.subtype === "can_use_tool") {
      const ask = { ...request, input: record(request.input) } as ToolAsk
      const background = this.tasks.isBackground(ask.agent_id)
      this.#open.set(key, request)
      const put = (what: NativeQuestion | NativePermission) =>
        this.sink.ask({ key, call: ask.tool_use_id, background, ...what }, this)
      const question = questionFor(ask)
      if (question !== undefined) return put(question)
      if (!fileTools.includes(ask.tool_name)) return put(permissionOf(ask))
      const path = pathOf(ask.input)
      const looked = [
        proposedDiff(ask.tool_name, ask.input, this.reach),
        path === undefined ? false : this.decides(path),
      ] as const
      permissionOf(ask) // what cannot be read is to be known now, not when the file was
      return this.sink.after(Promise.all(looked), (found) => put(permissionOf(ask, found?.[0], found?.[1])))
    }
    if (request.subtype === "elicitation") {
      this.#open.set(key, request)
      return this.sink.ask({ key, ...elicitationQuestion(formIn(request)) }, this)
    }
    ignoreGone(this.answering.refuse(key, `${request.subtype} is not served here`))
  }

  /** It no longer waits; an answer now would be for nobody. */
  cancelled(key: string): void {
    if (this.#open.delete(key)) this.sink.unask(key)
  }

  async answer(key: string, answer: NativeAnswer): Promise<void> {
    const asked = this.#open.get(key)
    if (asked === undefined) return
    this.#open.delete(key)
    await this.answering.reply(key, payloadOf(asked, answer))
  }
}

function questionFor({ tool_name: name, input }: ToolAsk): NativeQuestion | undefined {
  if (name === "ExitPlanMode") return planQuestion(input)
  return name === "AskUserQuestion" ? questionOf(input) : undefined
}

function payloadOf(asked: PendingRequest, answer: NativeAnswer): unknown {
  const answers = answer.kind === "question" ? answer.answers : undefined
  if (asked.subtype === "elicitation")
    return answers ? elicitationAnswer(formIn(asked), answers) : { action: "decline" }
  const input = record(asked.input)
  if (answer.kind === "permission") return answer.reply === "once" ? allow(input) : deny(refusalText(answer.message))
  if (asked.tool_name === "ExitPlanMode") return planAnswer(input, answer)
  if (answers) return allow(answeredInput(input, answers))
  const message = answer.kind === "question_rejected" ? answer.message : undefined
  return deny(message ?? "The user does not want to answer. Go on without it.")
}

const formIn = ({ message, url, requested_schema: requestedSchema }: PendingRequest) => ({
  message,
  url,
  requestedSchema,
})

function planAnswer(input: object, answer: NativeAnswer): unknown {
  const said = answer.kind === "question" ? answer.answers[0]?.[0] : undefined
  if (said === APPROVE) {
    // For this session only; other destinations would be written into the user's configuration.
    const updatedPermissions = [{ type: "setMode", mode: "default", destination: "session" }]
    return { ...allow(input), updatedPermissions }
  }
  const message = answer.kind === "question_rejected" ? answer.message : said === REJECT ? undefined : said
  return deny(
    message ? `The user wants the plan changed: ${message}` : "The user did not approve the plan. Go on planning.",
  )
}

const allow = (updatedInput: object) => ({ behavior: "allow", updatedInput })
const deny = (message: string) => ({ behavior: "deny", message })
