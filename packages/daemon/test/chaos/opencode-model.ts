import type { Answer } from "@sandbox-agent/scripted-model/part"
import { hang, reply, text, thinking, toolCall } from "@sandbox-agent/scripted-model/script"
import { always } from "@sandbox-agent/scripted-model/step"
import { type Wish, word } from "./claude-model.ts"

const pattern = /\[\[(\w+) (\S+) (\d+)\]\]/g
const flow = (count: number): string[] => Array.from({ length: count }, (_, i) => `${word(i + 1)} `)
const bash = (command: string) => toolCall("bash", { command, description: "As told" })

const colours = {
  question: "Which colour?",
  header: "Colour",
  options: ["Red", "Blue"].map((label) => ({ label, description: label })),
}

/** One script for every session: the last wish in the conversation decides. */
export const opencodeWishes = always((request) => {
  const messages = JSON.stringify(request.body.messages)
  const [found, wish, , count] = [...messages.matchAll(pattern)].at(-1) ?? []
  if (found === undefined) return "there is no wish"
  const again = messages.slice(messages.lastIndexOf(found)).includes('"role":"tool"')
  return again ? reply(text(flow(5), { delayMs: 10 })) : answerTo(wish as Wish, Number(count))
})

function answerTo(wish: Wish, count: number): Answer {
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
      return reply("May I?", bash("touch made-by-opencode"))
    case "question":
      return reply(toolCall("question", { questions: [colours] }))
    case "whole":
      return reply(thinking(flow(5), { delayMs: 10 }), text(flow(10), { delayMs: 10 }), bash("echo hi"))
  }
}
