import type { Permission, PermissionReply, Question, QuestionPart } from "@sandbox-agent/schema/request"
import { isRecord, oursIn } from "./envelope.ts"
import { invalid } from "./invalid.ts"
import { answerKey, hasOther, otherKey } from "./v1/form.ts"
import { permissionOptions } from "./v1/permission.ts"
import { choiceLabels, DECLINE, refusesPlan } from "./v1/question.ts"

/** A client's response to a request of ours, as it came. */
export type Response = { result: unknown } | { error: unknown }

/**
 * `dismissed`: the client decided nothing (its turn was cancelled, it failed, or it obeyed `$/cancel_request`). The
 * request stays open for whoever else can answer; cancelling the turn resolves it.
 */
export type Dismissed = { kind: "dismissed" }
export type PermissionAnswer = { kind: "permission"; reply: PermissionReply; message?: string } | Dismissed
export type Rejected = { kind: "rejected"; message?: string }
export type QuestionAnswer = { kind: "answered"; answers: string[][] } | Rejected | Dismissed
/** The answer to one of several questions; all of them together answer the request. */
export type ChoiceAnswer = { kind: "chosen"; answer: string[] } | Rejected | Dismissed

export function permissionAnswer({ choices }: Pick<Permission, "choices">, response: Response): PermissionAnswer {
  const chosen = selected(response)
  if (typeof chosen !== "string") return chosen
  const reply = choices.find((choice) => permissionOptions[choice].optionId === chosen)
  const offered = choices.map((choice) => permissionOptions[choice].optionId)
  if (reply === undefined)
    return bad("outcome.optionId", `${JSON.stringify(chosen)} is not one of ${offered.join(", ")}`)
  return { kind: "permission", reply, ...messageIn(response) }
}

/** The k-th question, asked as a permission request. */
export function choiceAnswer(question: Question, k: number, response: Response): ChoiceAnswer {
  const part = question.questions[k]
  if (part === undefined) return bad("question", `there is no question ${k}`)
  const chosen = selected(response)
  if (typeof chosen !== "string") return chosen
  if (chosen === DECLINE) return { kind: "rejected", ...messageIn(response) }
  const labels = choiceLabels(part)
  const label = labels[labels.findIndex((_, i) => chosen === `choice_${i}`)]
  if (label === undefined) return bad("outcome.optionId", `${JSON.stringify(chosen)} was not offered`)
  // The reason goes to the agent, as it does with a form.
  if (refusesPlan(question.purpose, label)) return { kind: "rejected", ...messageIn(response) }
  return { kind: "chosen", answer: [label] }
}

/** The outcome of a permission request: the id of an option, or that nothing was chosen. */
function selected(response: Response): string | Dismissed {
  if ("error" in response) return { kind: "dismissed" }
  const outcome = isRecord(response.result) ? response.result.outcome : undefined
  if (!isRecord(outcome)) return bad("outcome", "an object is expected")
  if (outcome.outcome === "cancelled") return { kind: "dismissed" }
  if (outcome.outcome !== "selected") return bad("outcome.outcome", "selected or cancelled is expected")
  return typeof outcome.optionId === "string" ? outcome.optionId : bad("outcome.optionId", "a string is expected")
}

/** The response to `elicitation/create`. A person who closes the form has refused it: the agent goes on without. */
export function questionAnswer({ questions }: Pick<Question, "questions">, response: Response): QuestionAnswer {
  if ("error" in response) return { kind: "dismissed" }
  const { action, content } = isRecord(response.result) ? response.result : {}
  if (action === "decline" || action === "cancel") return { kind: "rejected", ...messageIn(response) }
  if (action !== "accept") return bad("action", "accept, decline or cancel is expected")
  if (content !== undefined && content !== null && !isRecord(content)) return bad("content", "an object is expected")
  const values = content ?? {}
  // An address to open asks for nothing but consent: the first choice is that.
  if (questions.length === 1 && questions[0]?.url !== undefined && Object.keys(values).length === 0)
    return { kind: "answered", answers: [choiceLabels(questions[0]).slice(0, 1)] }
  return { kind: "answered", answers: questions.map((part, i) => answerOf(part, i, values)) }
}

function answerOf(part: QuestionPart, index: number, values: Record<string, unknown>): string[] {
  const key = answerKey(index)
  const chosen = stringsOf(part, values[key], `content.${key}`)
  const labels = choiceLabels(part)
  const free = part.type !== "choice" || part.allow_other || labels.length === 0
  for (const label of chosen)
    if (!free && !labels.includes(label))
      bad(`content.${key}`, `${JSON.stringify(label)} is not one of ${labels.join(", ")}`)
  const other = hasOther(part) ? values[otherKey(index)] : undefined
  if (other !== undefined && other !== null && typeof other !== "string")
    return bad(`content.${otherKey(index)}`, "a string is expected")
  const answer = !other?.trim() ? chosen : part.multi_select ? [...chosen, other] : [other]
  return part.required && answer.length === 0 ? bad(`content.${key}`, "an answer is required") : answer
}

/** A value of the form in the words of the question. An empty text is no answer. */
function stringsOf(part: QuestionPart, value: unknown, where: string): string[] {
  if (value === undefined || value === null || value === "") return []
  if (part.type === "boolean")
    return typeof value === "boolean" ? [String(value)] : bad(where, "true or false is expected")
  if (part.type === "number") return typeof value === "number" ? [String(value)] : bad(where, "a number is expected")
  if (!part.multi_select || part.options.length === 0)
    return typeof value === "string" ? [value] : bad(where, "a string is expected")
  if (!Array.isArray(value)) return bad(where, "an array of strings is expected")
  return value.map((each) => (typeof each === "string" ? each : bad(where, "an array of strings is expected")))
}

/** Words that go to the agent with a refusal, where a client of ours sends some. */
export function wordsIn(response: Response): string | undefined {
  const message = "result" in response ? oursIn(response.result).message : undefined
  return typeof message === "string" && message !== "" ? message : undefined
}

function messageIn(response: Response): { message?: string } {
  const message = wordsIn(response)
  return message === undefined ? {} : { message }
}

function bad(where: string, why: string): never {
  return invalid(`${where}: ${why}`)
}
