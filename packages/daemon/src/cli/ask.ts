import type { Permission, PermissionReply, Question, QuestionPart } from "@sandbox-agent/schema/request"
import { permissionText } from "./event-text.ts"
import { type Paint, printable } from "./print.ts"

/** Shows a text, takes one line; undefined when there will be none (end of input, or no answer is needed any more). */
export type Prompt = (text: string) => Promise<string | undefined>

const replies: Record<string, PermissionReply> = {
  y: "once",
  yes: "once",
  o: "once",
  once: "once",
  a: "always",
  always: "always",
  n: "reject",
  no: "reject",
  r: "reject",
  reject: "reject",
}

/** Asks until the answer is one; no answer at all is a no. */
export async function askPermission(permission: Permission, prompt: Prompt, paint: Paint): Promise<PermissionReply> {
  const diff = permission.detail?.diff ? `\n${printable(permission.detail.diff)}` : ""
  const choices = permission.choices.length > 0 ? permission.choices : (["once", "always", "reject"] as const)
  const question = `${paint("yellow", "allow?")} ${printable(permissionText(permission))}${diff}\n[${choices.join("/")}] `
  for (;;) {
    const line = await prompt(question)
    if (line === undefined) return "reject"
    const reply = replies[line.trim().toLowerCase()]
    if (reply && choices.includes(reply)) return reply
  }
}

/** One list of labels per question, or undefined when the person will not answer. */
export async function askQuestion(question: Question, prompt: Prompt, paint: Paint): Promise<string[][] | undefined> {
  const answers: string[][] = []
  for (const part of question.questions) {
    const answer = await askPart(part, prompt, paint)
    if (!answer) return undefined
    answers.push(answer)
  }
  return answers
}

async function askPart(part: QuestionPart, prompt: Prompt, paint: Paint): Promise<string[] | undefined> {
  const options = part.options.map(
    (o, i) =>
      `\n  ${i + 1}. ${printable(o.label)}${o.description ? paint("dim", ` — ${printable(o.description)}`) : ""}`,
  )
  const how =
    part.options.length === 0
      ? ""
      : part.multi_select
        ? "\nnumbers or labels, separated by commas"
        : "\nnumber or label"
  const text = `${paint("yellow", "?")} ${printable(part.prompt)}${options.join("")}${paint("dim", how)}\n> `
  for (;;) {
    const line = await prompt(text)
    if (line === undefined) return undefined
    const answer = chosen(part, line)
    if (answer) return answer
  }
}

/** The labels a line means, or undefined when it means none that is allowed. */
export function chosen(part: QuestionPart, line: string): string[] | undefined {
  const text = line.trim()
  if (text === "") return part.required === false ? [] : undefined
  if (part.options.length === 0) return [text]
  const words = part.multi_select ? text.split(",").map((word) => word.trim()) : [text]
  const labels: string[] = []
  for (const word of words) {
    const byNumber = /^\d+$/.test(word) ? part.options[Number(word) - 1] : undefined
    const option = part.options.find((o) => o.label.toLowerCase() === word.toLowerCase()) ?? byNumber
    if (option) labels.push(option.label)
    else if (part.allow_other) labels.push(word)
    else return undefined
  }
  return labels
}
