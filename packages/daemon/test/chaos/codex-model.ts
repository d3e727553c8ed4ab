import type { Answer } from "@sandbox-agent/scripted-model/part"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { hang, reply, text, thinking, toolCall } from "@sandbox-agent/scripted-model/script"
import { always, type Matcher } from "@sandbox-agent/scripted-model/step"
import { type Wish, word } from "./claude-model.ts"

const pattern = /\[\[(\w+) (\S+) (\d+)\]\]/g
const flow = (count: number): string[] => Array.from({ length: count }, (_, i) => `${word(i + 1)} `)

export const said = (request: ModelRequest): string => JSON.stringify(request.body.input)

/** The request that answers this message and no later one. */
export const asks =
  (message: string): Matcher =>
  (request) =>
    said(request).match(pattern)?.at(-1) === message

const colours = {
  id: "colour",
  header: "Colour",
  question: "Which colour?",
  options: ["Red", "Blue"].map((label) => ({ label, description: label })),
}

/** One script for every session: the last wish in the conversation decides. */
export const wishes = always((request) => {
  const messages = said(request)
  const [found, wish, , count] = [...messages.matchAll(pattern)].at(-1) ?? []
  if (found === undefined) return "there is no wish"
  const again = messages.slice(messages.lastIndexOf(found)).includes('_call_output"')
  return again ? reply(text(flow(5), { delayMs: 10 })) : answerTo(wish as Wish, Number(count))
})

function answerTo(wish: Wish, count: number): Answer {
  const run = (cmd: string) => toolCall("exec_command", { cmd, yield_time_ms: 30_000 })
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
      return reply("I run it", run('python3 -c "import time; time.sleep(600)"'))
    case "ask":
      return reply("May I?", run("touch made-by-codex"))
    case "question":
      return reply(toolCall("request_user_input", { questions: [colours] }))
    case "whole": {
      const plan = toolCall("update_plan", { plan: [{ step: "Look", status: "in_progress" }] })
      return reply(thinking(flow(5), { delayMs: 10 }), text(flow(10), { delayMs: 10 }), plan)
    }
  }
}
