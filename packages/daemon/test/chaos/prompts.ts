import type { Answer, Part } from "@sandbox-agent/scripted-model/part"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { hang, reply, text, thinking } from "@sandbox-agent/scripted-model/script"
import { always, type Matcher } from "@sandbox-agent/scripted-model/step"

/** What the model does with a message. All but `say` and `whole` wait for ever at the moment that is meant. */
export type PromptKind = "say" | "hang" | "text" | "think" | "run" | "ask" | "question" | "whole"

/** How one agent's tools are called, and how its conversation reads. */
export interface AgentDialect {
  /** The conversation in a request. */
  said(request: ModelRequest): string
  /** What in it is the result of a tool. */
  result: string
  run(command: string): Part
  question(colours: { question: string; header: string; options: { label: string; description: string }[] }): Part
  /** Some call that needs no permission. */
  harmless: Part
}

const pattern = /\[\[(\w+) (\S+) (\d+)\]\]/g

/** The message that makes the model do it; `count` is the number of words before it waits. */
export const promptText = (prompt: PromptKind, name: string, count = 0): string => `[[${prompt} ${name} ${count}]]`

export const word = (n: number): string => `word${n}.`
const flow = (count: number): string[] => Array.from({ length: count }, (_, i) => `${word(i + 1)} `)

/** The request that answers this message and no later one. */
export const asks =
  ({ said }: AgentDialect, message: string): Matcher =>
  (request) =>
    said(request).match(pattern)?.at(-1) === message

const colours = {
  question: "Which colour?",
  header: "Colour",
  options: ["Red", "Blue"].map((label) => ({ label, description: label })),
}

/** One script for every session: the last prompt in the conversation decides. */
export const promptScript = (dialect: AgentDialect) =>
  always((request) => {
    const messages = dialect.said(request)
    const [found, prompt, , count] = [...messages.matchAll(pattern)].at(-1) ?? []
    if (found === undefined) return "there is no prompt"
    const again = messages.slice(messages.lastIndexOf(found)).includes(dialect.result)
    return again ? reply(text(flow(5), { delayMs: 10 })) : answerTo(dialect, prompt as PromptKind, Number(count))
  })

function answerTo({ run, question, harmless }: AgentDialect, prompt: PromptKind, count: number): Answer {
  switch (prompt) {
    case "say":
      return "fine"
    case "hang":
      return reply(hang())
    case "text":
      return reply(text([...flow(count), hang()]))
    case "think":
      return reply(thinking([...flow(count), hang()]))
    case "run":
      return reply("I run it", run('python3 -c "import time; time.sleep(600)"'))
    case "ask":
      return reply("May I?", run("touch made-by-the-agent"))
    case "question":
      return reply(question(colours))
    case "whole":
      return reply(thinking(flow(5), { delayMs: 10 }), text(flow(10), { delayMs: 10 }), harmless)
  }
}
