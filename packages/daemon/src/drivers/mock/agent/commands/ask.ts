import type { QuestionPart } from "@sandbox-agent/schema/request"
import type { Answer } from "../../protocol.ts"
import type { Command } from "./command.ts"

const choice = (id: string, prompt: string, labels: string[]): QuestionPart => ({
  id,
  header: id,
  prompt,
  type: "choice",
  options: labels.map((label) => ({ label })),
  multi_select: false,
  allow_other: false,
})

const several: QuestionPart[] = [
  choice("Size", "Which size?", ["Small", "Medium", "Large"]),
  { ...choice("Toppings", "Which toppings?", ["Cheese", "Olives", "Mushrooms"]), multi_select: true },
  { ...choice("Note", "Anything else?", []), type: "text", allow_other: true },
]

const approval: QuestionPart = {
  ...choice("Plan", "1. Read the code\n2. Change it\n3. Run the tests\n\nApprove this plan?", ["Approve", "Reject"]),
  allow_other: true,
}

export const question: Command = {
  hint: "",
  description: "Asks a question with three choices",
  async run(_, turn) {
    const questions = [choice("Color", "Which color?", ["Red", "Green", "Blue"])]
    const answer = await turn.agent.asks.ask({ questions }, turn.signal)
    await turn.stream(
      "text",
      answer.kind === "question" ? `You chose: ${answer.answers.flat().join(", ")}` : rejected(answer),
    )
  },
}

export const questions: Command = {
  hint: "",
  description: "Asks three questions at once",
  async run(_, turn) {
    const answer = await turn.agent.asks.ask({ questions: several }, turn.signal)
    await turn.stream("text", answer.kind === "question" ? JSON.stringify(answer.answers) : rejected(answer))
  },
}

export const plan: Command = {
  hint: "",
  description: "Asks for approval of a plan",
  async run(_, turn) {
    const answer = await turn.agent.asks.ask({ questions: [approval], purpose: "plan_approval" }, turn.signal)
    const chosen = answer.kind === "question" ? answer.answers.flat() : []
    if (chosen[0] !== "Approve") {
      const said = "message" in answer ? answer.message : chosen.filter((label) => label !== "Reject").join(" ")
      return turn.stream("text", said ? `Plan rejected: ${said}` : "Plan rejected.")
    }
    const { settings, out } = turn.agent
    if (settings.permissionMode === "plan") {
      turn.agent.settings = { ...settings, permissionMode: "default" }
      out.line({ type: "session", permissionMode: "default" })
    }
    await turn.stream("text", "Plan approved.")
  },
}

const rejected = (answer: Answer): string =>
  "message" in answer && answer.message ? `Question rejected: ${answer.message}` : "Question rejected."
