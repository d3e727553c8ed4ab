import type { Answer } from "@sandbox-agent/scripted-model/part"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { hang, reply, text, thinking, toolCall } from "@sandbox-agent/scripted-model/script"
import { always, type Matcher } from "@sandbox-agent/scripted-model/step"

/** What the model does with a message. All but `say` and `whole` wait for ever at the moment that is meant. */
export type Wish = "say" | "hang" | "text" | "think" | "run" | "ask" | "question" | "whole"

const pattern = /\[\[(\w+) (\S+) (\d+)\]\]/g

/** The message that makes the model do it; `count` is the number of words before it waits. */
export const wishText = (wish: Wish, name: string, count = 0): string => `[[${wish} ${name} ${count}]]`

export const word = (n: number): string => `word${n}.`
const flow = (count: number): string[] => Array.from({ length: count }, (_, i) => `${word(i + 1)} `)

const said = (request: ModelRequest): string => JSON.stringify(request.body.messages)

/** The request that answers this message and no later one. */
export const asks =
  (message: string): Matcher =>
  (request) =>
    said(request).match(pattern)?.at(-1) === message

const colours = {
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  options: ["Red", "Blue"].map((label) => ({ label, description: label })),
}

/** One script for every session: the last wish in the conversation decides. */
export const wishes = always((request) => {
  const messages = said(request)
  const [found, wish, , count] = [...messages.matchAll(pattern)].at(-1) ?? []
  if (found === undefined) return "there is no wish"
  const again = messages.slice(messages.lastIndexOf(found)).includes('"tool_result"')
  return again ? reply(text(flow(5), { delayMs: 10 })) : answerTo(wish as Wish, Number(count))
})

function answerTo(wish: Wish, count: number): Answer {
  const bash = (command: string) => toolCall("Bash", { command })
  switch (wish) {
    case "say":
      return "fine"
    case "hang":
      return reply(hang())
    case "text":
      return reply(text([...flow(count), hang()]))
    case "think":
      return reply(thinking([...flow(count), hang()]))
    case "run":
      return reply("I run it", bash('python3 -c "import time; time.sleep(600)"'))
    case "ask":
      return reply("May I?", bash("touch made-by-claude"))
    case "question":
      return reply(toolCall("AskUserQuestion", { questions: [colours] }))
    case "whole":
      return reply(thinking(flow(5), { delayMs: 10 }), text(flow(10), { delayMs: 10 }), bash("echo hi"))
  }
}
