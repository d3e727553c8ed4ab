import type {
  CreateElicitationRequest,
  PermissionOption,
  RequestPermissionRequest,
  ToolCall,
} from "@agentclientprotocol/sdk"
import type { Question, QuestionPart } from "@sandbox-agent/schema/request"
import { type Envelope, notification, ours, request } from "../envelope.ts"
import { text } from "./content.ts"
import { formOf } from "./form.ts"
import { type Scope, update } from "./scope.ts"

/** How a client is asked: by a form, by an address to open, or by one permission request per question. */
export function wayOf({ questions }: Question, { form, url }: Scope["traits"]): "form" | "url" | "choices" {
  if (url && questions.length === 1 && questions[0]?.url !== undefined) return "url"
  return form ? "form" : "choices"
}

export function questionRequested(question: Question, scope: Scope): Envelope[] {
  const way = wayOf(question, scope.traits)
  if (way === "choices") return asChoices(question, scope)
  const { question_id: questionId, call_id: toolCallId, purpose, questions } = question
  const { sessionId } = scope
  const place = { sessionId, ...(toolCallId !== undefined && { toolCallId }), ...ours({ questionId, purpose }) }
  const url = way === "url" ? questions[0]?.url : undefined
  const several = questions.length > 1 ? "Please answer the following questions." : question.prompt
  const params: CreateElicitationRequest =
    url === undefined
      ? { mode: "form", ...place, message: several, requestedSchema: formOf(questions) }
      : { mode: "url", ...place, message: question.prompt, url, elicitationId: questionId }
  return [request(questionId, "elicitation/create", params)]
}

/** A question that belongs to no tool call is announced as one: its end is told of that call, live and in the history. */
function asChoices(question: Question, scope: Scope): Envelope[] {
  if (question.questions.length === 0) return []
  const asked = choicesRequest(question, 0, scope.sessionId)
  if (question.call_id !== undefined) return [asked]
  return [update(scope, { sessionUpdate: "tool_call", ...toolCallOf(question, 0) }), asked]
}

/** JSON-RPC id of the k-th question of several that are asked one after the other. */
export const choicesId = (questionId: string, k: number): string => (k === 0 ? questionId : `${questionId}.${k}`)

/** One question as a permission request with an option per choice; the rest can only be declined there. */
export function choicesRequest(question: Question, k: number, sessionId: string): Envelope {
  const { question_id: questionId, purpose, questions } = question
  const part = questions[k]
  const params: RequestPermissionRequest = {
    sessionId,
    toolCall: toolCallOf(question, k),
    options: part === undefined ? [decline] : choiceOptions(part, purpose),
    ...ours({ questionId, question: k, of: questions.length, purpose }),
  }
  return request(choicesId(questionId, k), "session/request_permission", params)
}

function toolCallOf(question: Question, k: number): ToolCall {
  const { question_id: questionId, call_id: call, purpose, questions } = question
  const part = questions[k]
  const prompt = part?.prompt ?? question.prompt
  const [first = ""] = prompt.split("\n", 1)
  return {
    toolCallId: call ?? questionId,
    title: prompt === first ? first : (part?.header ?? first),
    kind: purpose === "plan_approval" ? "switch_mode" : "other",
    status: "pending",
    content: [{ type: "content", content: text(part?.url === undefined ? prompt : `${prompt}\n${part.url}`) }],
  }
}

export const DECLINE = "decline"
const decline: PermissionOption = { optionId: DECLINE, name: "Decline", kind: "reject_once" }

/** What can be chosen; option `choice_i` is the i-th. */
export const choiceLabels = ({ type, options }: QuestionPart): string[] =>
  options.length > 0 || type !== "boolean" ? options.map(({ label }) => label) : ["true", "false"]

/** In a plan approval the second choice is the refusal. */
export const refusesPlan = (purpose: Question["purpose"], label: string): boolean =>
  purpose === "plan_approval" && label === "Reject"

function choiceOptions(part: QuestionPart, purpose: Question["purpose"]): PermissionOption[] {
  const options = choiceLabels(part).map((name, i): PermissionOption => {
    return { optionId: `choice_${i}`, name, kind: refusesPlan(purpose, name) ? "reject_once" : "allow_once" }
  })
  return options.some(({ kind }) => kind === "reject_once") ? options : [...options, decline]
}

export function questionResolved(question: Question, scope: Scope): Envelope[] {
  const { question_id: questionId, call_id: call, status, questions } = question
  const choices = wayOf(question, scope.traits) === "choices"
  const asked = choices ? Math.max(1, questions.length) : 1
  const ids = Array.from({ length: asked }, (_, k) => choicesId(questionId, k))
  const cancelled = ids.map((requestId) => notification("$/cancel_request", { requestId }))
  if (!choices || call !== undefined || questions.length === 0) return cancelled
  // Asked as a permission it was shown as a tool call that nothing else will end.
  const ended = status === "answered" ? "completed" : "failed"
  return [...cancelled, update(scope, { sessionUpdate: "tool_call_update", toolCallId: questionId, status: ended })]
}
