import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { NativeQuestion } from "../../core/driver-sink.ts"
import { type Json, list, record, text } from "../shared/json.ts"
import { nameOf, type Tool } from "./tool.ts"

/** A tool that asks a person, where the agent has no other way to ask than whether the tool may run. */
export function questionsIn(tool: Tool): NativeQuestion | undefined {
  if (!/^ask_?user/i.test(nameOf(tool))) return undefined
  const questions = list(record(tool.input).questions).map(record).map(part)
  return questions.length === 0 ? undefined : { type: "question", questions }
}

function part({ question, header, options, multiSelect }: Json, index: number): QuestionPart {
  return {
    id: String(index),
    ...(text(header) !== undefined && { header: text(header) }),
    prompt: text(question) ?? "",
    type: "choice",
    options: list(options).map((one) => {
      const { label, description } = record(one)
      return { label: text(label) ?? "", ...(text(description) !== undefined && { description: text(description) }) }
    }),
    multi_select: multiSelect === true,
    allow_other: true,
  }
}

/** Beside the outcome: the answers under the number of their question, several in one line. */
export const answersIn = (answers: readonly (readonly string[])[]): Record<string, string> =>
  Object.fromEntries(answers.flatMap((given, i) => (given.length === 0 ? [] : [[String(i), given.join(", ")]])))
