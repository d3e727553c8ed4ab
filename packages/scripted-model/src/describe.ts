import type { Answer, Part } from "./part.ts"
import { lastUserText, type ModelRequest, toolResults } from "./request.ts"
import type { Step } from "./step.ts"

const SHOWN = 60

export function describeStep(step: Step): string {
  const conditions = step.matchers.map((matcher) => ` when ${matcher.label ?? "the matcher fits"}`)
  const side = step.side === undefined ? "" : ` on ${step.side}`
  const answer = typeof step.answer === "function" ? "a function of the request" : describeAnswer(step.answer)
  return `${answer}${side}${conditions.join("")}`
}

export function describeRequest(request: ModelRequest): string {
  const results = toolResults(request)
  const last =
    results.length > 0
      ? `results of ${results.map((result) => result.name ?? result.id).join(", ")}`
      : `user ${quote(lastUserText(request))}`
  const session = request.session === "" ? "shared script" : `session ${request.session}`
  return `request ${request.number} (${request.dialect}, ${session}, model ${request.model}, ${last})`
}

function describeAnswer(answer: Answer): string {
  if (typeof answer === "string") return `text ${quote(answer)}`
  if (answer.type !== "reply") return describePart(answer)
  return `reply(${answer.parts.map(describePart).join(", ")})`
}

function describePart(part: Part): string {
  switch (part.type) {
    case "text":
    case "thinking":
      return `${part.type} ${quote(part.chunks.filter((chunk) => typeof chunk === "string").join(""))}`
    case "tool-call":
      return `toolCall ${part.name}`
    case "error":
      return `error ${part.status}`
    case "stop":
      return `stop ${part.reason}`
    default:
      return part.type
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)
}
