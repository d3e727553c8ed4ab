import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Meaning } from "../../core/driver.ts"
import { type Json, list, record, text } from "../shared/json.ts"
import { answersOf } from "./elicitation.ts"

/** A request of the agent that somebody answers in its own protocol. */
export interface Asked {
  method: string
  params: Json
}

/** `undefined`: nothing was decided. Throws for an answer the agent could not take. */
export function meaningOf({ method, params }: Asked, own: Json): Meaning | undefined {
  if (method === "elicitation/create") return meaningOfForm(params, own)
  const { outcome, optionId } = record(own.outcome)
  if (outcome === "cancelled") return undefined
  if (outcome !== "selected") return bad("outcome.outcome: selected or cancelled is expected")
  const options = list(params.options).map(record)
  const chosen = options.find((option) => option.optionId === optionId)
  if (chosen === undefined) {
    const offered = options.map((option) => String(option.optionId)).join(", ")
    return bad(`outcome.optionId: ${JSON.stringify(optionId)} is not one of ${offered}`)
  }
  const allowed = isAllowing(chosen)
  return { kind: "permission", reply: allowed ? (chosen.kind === "allow_always" ? "always" : "once") : "reject" }
}

function meaningOfForm(params: Json, own: Json): Meaning {
  if (own.action === "decline" || own.action === "cancel") return { kind: "question_rejected" }
  if (own.action !== "accept") return bad("action: accept, decline or cancel is expected")
  return { kind: "question", answers: answersOf(params, record(own.content)) }
}

const isAllowing = ({ kind }: Json): boolean => text(kind)?.startsWith("allow") === true

/**
 * What the agent gets: the answer as it is, except one that would hold for longer than this once. That is a rule of
 * ours, so the agent's own option of the same sense for once stands in its place; where it offers none, there is none.
 */
export function givenOn({ method, params }: Asked, own: Json): Json {
  if (method === "elicitation/create") return own
  const options = list(params.options).map(record)
  const outcome = record(own.outcome)
  const lasting = /^(allow|reject)_always$/.exec(
    text(options.find((option) => option.optionId === outcome.optionId)?.kind) ?? "",
  )
  const once = lasting === null ? undefined : options.find((option) => option.kind === `${lasting[1]}_once`)
  return once === undefined ? own : { ...own, outcome: { ...outcome, optionId: once.optionId } }
}

function bad(detail: string): never {
  throw new SandboxAgentError("invalid_request", detail)
}
