import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { Part } from "@sandbox-agent/scripted-model/part"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { cut, delay, error, reply, text, thinking, toolCall, words } from "@sandbox-agent/scripted-model/script"
import { type Matcher, optional, type ScriptItem, times, when } from "@sandbox-agent/scripted-model/step"
import type { Acts } from "../acts.ts"

const saidIn = (request: ModelRequest): string => JSON.stringify(request.body.messages)
const bash = (command: string) => reply(toolCall("bash", { command, description: "As told" }))

/** Chunks that come for so long. */
const flow = (ms: number): Part =>
  text(
    Array.from({ length: ms / 20 }, (_, i) => `word${i} `),
    { delayMs: 20 },
  )

const option = (label: string) => ({ label, description: label })
const asking = (question: string, header: string, multiple: boolean, ...labels: string[]) => ({
  question,
  header,
  multiple,
  options: labels.map(option),
})
const colour = asking("Which colour?", "Colour", false, "Red", "Blue")
const toppings = asking("Which toppings?", "Toppings", true, "Cheese", "Olives", "Ham")
const naming = asking("Which name?", "Name", false, "Ann", "Bob")

const todos = (...states: string[]) =>
  reply(
    toolCall("todowrite", { todos: states.map((status, i) => ({ content: `Step ${i}`, status, priority: "low" })) }),
  )

const seenTypes = ({ messages }: ModelRequest): string =>
  messages.flatMap(({ images }) => images.map(({ mediaType }) => mediaType)).join(", ") || "nothing"

/** More than OpenCode ever tries. */
const everyTry = 20

/** Each act tells the model what to answer to the message it gives. */
export function opencodeActs(model: ScriptedModel): Acts {
  let count = 0
  /** The steps answer the conversation whose last message this is: sessions, forks and sub-agents do not mix. */
  const act = (...steps: ScriptItem[]): string => {
    const mark = `[act-${++count}]`
    const last: Matcher = (request) =>
      saidIn(request)
        .match(/\[act-\d+\]/g)
        ?.at(-1) === mark
    model.script(steps.map((step) => optional(when(last, step))))
    return `${mark} please`
  }
  return {
    say: (said) => act(reply(text(words(said)))),
    think: (thought) => act(reply(thinking(words(thought)), "done")),
    tool: () => act(todos("pending"), "done"),
    run: (command) => act(bash(command), "ran"),
    askToRun: (command) => act(bash(command), "ran"),
    write: (path, content) => act(reply(toolCall("write", { filePath: path, content })), "written"),
    question: () => act(reply(toolCall("question", { questions: [colour] })), "thanks"),
    questions: () => act(reply(toolCall("question", { questions: [colour, toppings, naming] })), "thanks"),
    todo: () => act(todos("in_progress", "pending"), todos("completed", "completed"), "done"),
    usage: () => act("counted"),
    subagent: () => {
      const prompt = `[act-${count + 1}] look`
      const task = { description: "Sub", subagent_type: "general", prompt }
      return act(reply(toolCall("task", task)), bash("echo inner"), "inner done", "outer done")
    },
    // A pause for a tool, so that a steered message finds its way in.
    longText: () => act(reply(flow(1_500), ...todos("pending").parts), reply(flow(60_000))),
    longRun: (command) => act(bash(`bash -c ${JSON.stringify(command)}`), "ended"),
    fail: (message) => act(times(everyTry, error(400, message))),
    note: () => act(error(429, "slow down", { retryAfter: 1 }), reply(delay(1), "noted")),
    mcpTool: () => act(reply(toolCall("probe_ping", {})), "pinged"),
    look: () => act(seenTypes),
    recall: (said) => act((request) => (saidIn(request).includes(said) ? said : "forgotten")),
    whichModel: () => act(({ model: asked }) => asked),
    whichVariant: () => act(({ effort }) => effort ?? "none"),
    unauthorized: () => act(times(everyTry, error(401, "invalid api key"))),
    overloaded: (said) => act(error(429, "slow down", { retryAfter: 1 }), said),
    cut: (said) => act(reply(text("half of", { open: true }), cut()), said),
  }
}
