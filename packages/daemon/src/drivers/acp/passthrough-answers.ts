import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { PermissionReply } from "@sandbox-agent/schema/request"
import type { Meaning } from "../../core/driver.ts"
import { type Json, list, record, text } from "../shared/json.ts"
import { answersOf } from "./elicitation.ts"
import { faultInForm } from "./filled-form.ts"

/** A request of the agent that a client answers over ACP. */
export interface AgentRequest {
  method: string
  params: Json
}

/** `undefined`: nothing was decided. Throws for an answer the agent could not take. */
export function meaningOf({ method, params }: AgentRequest, answer: Json): Meaning | undefined {
  if (method === "elicitation/create") return meaningOfForm(params, answer)
  const { outcome, optionId } = record(answer.outcome)
  if (outcome === "cancelled") return undefined
  if (outcome !== "selected") return bad("outcome.outcome: selected or cancelled is expected")
  const options = list(params.options).map(record)
  const chosen = options.find((option) => option.optionId === optionId)
  if (chosen === undefined) {
    const offered = options.map((option) => String(option.optionId)).join(", ")
    return bad(`outcome.optionId: ${JSON.stringify(optionId)} is not one of ${offered}`)
  }
  return { kind: "permission", reply: replyOf(chosen) }
}

function meaningOfForm(params: Json, answer: Json): Meaning {
  if (answer.action === "decline" || answer.action === "cancel") return { kind: "question_rejected" }
  if (answer.action !== "accept") return bad("action: accept, decline or cancel is expected")
  const content = record(answer.content)
  const fault = faultInForm(params, content)
  return fault === undefined ? { kind: "question", answers: answersOf(params, content) } : bad(fault)
}

/** Of a kind that the protocol does not know nobody can say what it allows: it counts as a yes. */
function replyOf({ kind }: Json): PermissionReply {
  if (kind === "allow_always") return "always"
  return text(kind)?.startsWith("reject") ? "reject" : "once"
}

/**
 * The answer as the agent gets it. An "always" is a rule of the core, so it is sent as the agent's once-option of the
 * same sense. If there is no once-option, the answer is sent unchanged.
 */
export function answerForAgent({ method, params }: AgentRequest, answer: Json): Json {
  if (method === "elicitation/create") return answer
  const options = list(params.options).map(record)
  const outcome = record(answer.outcome)
  const lasting = /^(allow|reject)_always$/.exec(
    text(options.find((option) => option.optionId === outcome.optionId)?.kind) ?? "",
  )
  const once = lasting === null ? undefined : options.find((option) => option.kind === `${lasting[1]}_once`)
  return once === undefined ? answer : { ...answer, outcome: { ...outcome, optionId: once.optionId } }
}

function bad(detail: string): never {
  throw new SandboxAgentError("invalid_request", detail)
}
