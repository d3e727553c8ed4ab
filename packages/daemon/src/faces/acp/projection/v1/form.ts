import type { ElicitationPropertySchema, ElicitationSchema, EnumOption } from "@agentclientprotocol/sdk"
import type { QuestionPart } from "@sandbox-agent/schema/request"
import { ours } from "../envelope.ts"

/** Keys of the form. An agent's own ids of its questions need not be unique, nor fit to be names. */
export const answerKey = (index: number): string => `question_${index}`
export const otherKey = (index: number): string => `question_${index}_other`

/** Questions as one flat form: a property for each, and a second one for words of one's own beside choices. */
export function formOf(questions: readonly QuestionPart[]): ElicitationSchema {
  const properties: Record<string, ElicitationPropertySchema> = {}
  const required: string[] = []
  questions.forEach((part, index) => {
    properties[answerKey(index)] = property(part, questions.length === 1)
    if (hasOther(part)) {
      const description = "Your own answer, instead of the choices above or beside them."
      properties[otherKey(index)] = { type: "string", title: "Other", description }
    } else if (part.required) required.push(answerKey(index))
  })
  return { type: "object", properties, ...(required.length > 0 && { required }) }
}

/** Where there are no choices the answer itself is free. */
export const hasOther = ({ type, options, allow_other }: QuestionPart): boolean =>
  type === "choice" && allow_other && options.length > 0

function property(part: QuestionPart, alone: boolean): ElicitationPropertySchema {
  // A single question is the message of the form already.
  const prompt = part.url === undefined ? part.prompt : `${part.prompt}\n${part.url}`
  const words = {
    title: part.header ?? (alone ? undefined : part.id),
    description: alone && !part.url ? undefined : prompt,
  }
  const head = { ...words, ...ours({ secret: part.secret }) }
  if (part.type === "boolean") return { type: "boolean", ...head }
  if (part.type === "number") return { type: "number", ...head }
  if (part.options.length === 0) return { type: "string", ...head }
  const choices: EnumOption[] = part.options.map(({ label, description }) => ({
    const: label,
    title: label,
    description,
  }))
  if (!part.multi_select) return { type: "string", ...head, oneOf: choices }
  const minItems = part.required && !part.allow_other ? 1 : undefined
  return { type: "array", ...head, minItems, items: { anyOf: choices } }
}
