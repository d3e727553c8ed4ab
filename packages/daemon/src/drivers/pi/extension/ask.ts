import type { Context, Tool } from "./api.ts"

interface Question {
  question: string
  options?: { label: string }[]
}

type Reply = { answers: string[][] } | { refuse?: string }

/** Asks the program that runs Pi, and waits however long a person takes. `undefined`: nobody answered. */
export type Ask = (said: object, context: Context, signal: AbortSignal | undefined) => Promise<unknown>

const option = {
  type: "object",
  properties: {
    label: { type: "string", description: "The choice, in one to five words" },
    description: { type: "string", description: "What it means" },
  },
  required: ["label"],
}

const question = {
  type: "object",
  properties: {
    question: { type: "string", description: "The whole question" },
    header: { type: "string", description: "What it is about, in one or two words" },
    options: { type: "array", items: option, description: "Choices; none for an answer in words" },
    multiSelect: { type: "boolean", description: "Several choices may be made" },
  },
  required: ["question"],
}

/** Pi has no tool to ask a person something. */
const askTool = (ask: Ask): Tool => ({
  name: "ask_user",
  label: "Ask user",
  description:
    "Ask the user one or more questions and wait for the answers. Use it when you cannot go on without a decision of the user. " +
    "The user can always answer in their own words.",
  parameters: {
    type: "object",
    properties: { questions: { type: "array", items: question, minItems: 1 } },
    required: ["questions"],
  },
  async execute(call, params: { questions: Question[] }, signal, _, context) {
    const { questions } = params
    const reply = (await ask({ kind: "questions", toolCallId: call, questions }, context, signal)) as Reply | undefined
    const answers = reply !== undefined && "answers" in reply ? reply.answers : undefined
    const words =
      answers === undefined ? refusal(reply) : questions.map((one, i) => answered(one, answers[i])).join("\n")
    return { content: [{ type: "text", text: words }], details: { answers } }
  },
})

const answered = ({ question }: Question, chosen: string[] = []): string =>
  `${question}\n${chosen.length === 0 ? "(no answer)" : chosen.join(", ")}`

const refusal = (reply: Reply | undefined): string =>
  reply !== undefined && "refuse" in reply && reply.refuse
    ? `The user does not want to answer: ${reply.refuse}`
    : "The user does not want to answer. Go on without it."

export default askTool
