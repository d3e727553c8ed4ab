import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { Part } from "@sandbox-agent/scripted-model/part"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { cut, error, reply, text, thinking, toolCall, words } from "@sandbox-agent/scripted-model/script"
import { type Matcher, optional, type ScriptItem, times, when } from "@sandbox-agent/scripted-model/step"
import type { Acts } from "../acts.ts"

/** How the tools of an agent are called. */
export interface Tools {
  run: string
  write: string
  /** Where the session works, in what the model is told; without it relative paths do. */
  directory?: RegExp
  /** A todo list of such states. */
  todos?(states: readonly string[]): Part
  ask?: string
  /** A thought in pieces is several to it. */
  wholeThoughts?: boolean
  ping: string
}

const saidIn = ({ messages }: ModelRequest): string => JSON.stringify(messages)

/** Chunks that come for so long. */
const flow = (ms: number): Part =>
  text(
    Array.from({ length: ms / 20 }, (_, i) => `word${i} `),
    { delayMs: 20 },
  )

const asking = (question: string, header: string, multiSelect: boolean, ...labels: string[]) => ({
  question,
  header,
  multiSelect,
  options: labels.map((label) => ({ label, description: label })),
})
const colour = asking("Which colour?", "Colour", false, "Red", "Blue")
const toppings = asking("Which toppings?", "Toppings", true, "Cheese", "Olives", "Ham")
const naming = asking("Which name?", "Name", false, "Ann", "Bob")

const seenTypes = ({ messages }: ModelRequest): string =>
  messages.flatMap(({ images }) => images.map(({ mediaType }) => mediaType)).join(", ") || "nothing"

/** More than any agent tries. */
const everyTry = 20

/** Acts of an agent whose tools have these names: each tells the model what to answer to the message it gives. */
export function actsWith(model: ScriptedModel, tools: Tools): Acts {
  let count = 0
  const act = (...steps: ScriptItem[]): string => {
    const mark = `[act-${++count}]`
    const last: Matcher = (request) =>
      saidIn(request)
        .match(/\[act-\d+\]/g)
        ?.at(-1) === mark
    model.script(steps.map((step) => optional(when(last, step))))
    return `${mark} please`
  }
  const { directory, todos, ask } = tools
  const run = (command: string) => reply(toolCall(tools.run, { command, description: "runs it" }))
  const absolute = (request: ModelRequest, path: string): string => {
    const found = directory?.exec(JSON.stringify(request.body))?.[1]
    return found === undefined ? path : `${found.trim()}/${path}`
  }
  return {
    say: (said) => act(reply(text(words(said)))),
    think: (thought) => act(reply(thinking(tools.wholeThoughts ? thought : words(thought)), "done")),
    tool: () => act(run("echo hi"), "done"),
    run: (command) => act(run(command), "ran"),
    askToRun: (command) => act(run(command), "ran"),
    write: (path, content) =>
      act((request) => reply(toolCall(tools.write, { file_path: absolute(request, path), content })), "written"),
    ...(ask !== undefined && {
      question: () => act(reply(toolCall(ask, { questions: [colour] })), "thanks"),
      questions: () => act(reply(toolCall(ask, { questions: [colour, toppings, naming] })), "thanks"),
    }),
    ...(todos !== undefined && {
      todo: () => act(reply(todos(["in_progress", "pending"])), reply(todos(["completed", "completed"])), "done"),
    }),
    usage: () => act("counted"),
    longText: () => act(reply(flow(60_000))),
    longRun: (command) => act(run(command), "ended"),
    fail: (message) => act(times(everyTry, error(400, message))),
    note: () => act("noted"),
    mcpTool: () => act(reply(toolCall(tools.ping, {})), "pinged"),
    look: () => act(seenTypes),
    recall: (said) => act((request) => (saidIn(request).includes(said) ? said : "forgotten")),
    whichModel: () => act(({ model: asked }) => asked),
    unauthorized: () => act(times(everyTry, error(401, "invalid api key"))),
    overloaded: (said) => act(error(429, "slow down", { retryAfter: 1 }), said),
    cut: (said) => act(reply(text("half of", { open: true }), cut()), said),
  }
}
