import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { Part } from "@sandbox-agent/scripted-model/part"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { cut, delay, error, reply, text, thinking, toolCall, words } from "@sandbox-agent/scripted-model/script"
import { type Matcher, optional, type ScriptItem, times, when } from "@sandbox-agent/scripted-model/step"
import type { Acts } from "../acts.ts"

const saidIn = (request: ModelRequest): string => JSON.stringify(request.body.messages)
const bash = (command: string) => reply(toolCall("Bash", { command }))

/** Chunks that come for so long. */
const flow = (ms: number): Part =>
  text(
    Array.from({ length: ms / 20 }, (_, i) => `word${i} `),
    { delayMs: 20 },
  )

/** Relative paths are the suite's; Claude Code's tools want absolute ones. */
function absolute(request: ModelRequest, path: string): string {
  const directory = /orking directory: ([^\\"]+)/.exec(JSON.stringify(request.body))?.[1] ?? ""
  return `${directory.trim()}/${path}`
}

const planFile = (request: ModelRequest): string =>
  /\/[^\s"\\]*plans\/[^\s"\\]+\.md/.exec(JSON.stringify(request.body))?.[0] ?? "/nowhere"

const option = (label: string) => ({ label, description: label })
const asking = (question: string, header: string, multiSelect: boolean, ...labels: string[]) => ({
  question,
  header,
  multiSelect,
  options: labels.map(option),
})
const colour = asking("Which colour?", "Colour", false, "Red", "Blue")
const toppings = asking("Which toppings?", "Toppings", true, "Cheese", "Olives", "Ham")
const naming = asking("Which name?", "Name", false, "Ann", "Bob")

const todos = (...states: string[]) =>
  reply(
    toolCall("TodoWrite", { todos: states.map((status, i) => ({ content: `Step ${i}`, status, activeForm: "x" })) }),
  )

const seenTypes = ({ messages }: ModelRequest): string =>
  messages.flatMap(({ images }) => images.map(({ mediaType }) => mediaType)).join(", ") || "nothing"

/** More than Claude Code ever tries. */
const everyTry = 20

/** Each act tells the model what to answer to the message it gives. */
export function claudeActs(model: ScriptedModel): Acts {
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
    tool: () => act(bash("echo hi"), "done"),
    run: (command) => act(bash(command), "ran"),
    askToRun: (command) => act(bash(command), "ran"),
    write: (path, content) =>
      act((request) => reply(toolCall("Write", { file_path: absolute(request, path), content })), "written"),
    question: () => act(reply(toolCall("AskUserQuestion", { questions: [colour] })), "thanks"),
    questions: () => act(reply(toolCall("AskUserQuestion", { questions: [colour, toppings, naming] })), "thanks"),
    plan: () =>
      act(
        (request) => reply(toolCall("Write", { file_path: planFile(request), content: "# The plan" })),
        reply(toolCall("ExitPlanMode", {})),
        "as you say",
      ),
    todo: () => act(todos("in_progress", "pending"), todos("completed", "completed"), "done"),
    usage: () => act("counted"),
    subagent: () => {
      const task = { description: "Sub", subagent_type: "general-purpose", run_in_background: false }
      const prompt = `[act-${count + 1}] look`
      return act(reply(toolCall("Agent", { ...task, prompt })), bash("echo inner"), "inner done", "outer done")
    },
    longText() {
      // A pause for a tool, so that a steered message finds its way in.
      const id = `toolu_long${count}`
      const begun = act(reply(flow(1_500), toolCall("Bash", { command: "echo on" }, { id })))
      const goesOn: Matcher = (request) => saidIn(request).includes(`"tool_use_id":"${id}"`)
      model.script([optional(when(goesOn, reply(flow(60_000))))])
      return begun
    },
    longRun: (command) => act(bash(`bash -c ${JSON.stringify(command)}`), "ended"),
    fail: (message) => act(times(everyTry, error(400, message))),
    note: () => act(error(429, "slow down", { retryAfter: 1 }), reply(delay(1), "noted")),
    mcpTool: () => act(reply(toolCall("mcp__probe__ping", {})), "pinged"),
    look: () => act(seenTypes),
    recall: (said) => act((request) => (saidIn(request).includes(said) ? said : "forgotten")),
    whichModel: () => act(({ model: asked }) => asked),
    whichVariant: () => act(({ effort }) => effort ?? "none"),
    unauthorized: () => act(times(everyTry, error(401, "invalid x-api-key"))),
    overloaded: (said) => act(error(429, "slow down", { retryAfter: 1 }), said),
    cut: (said) => act(reply(text("half of", { open: true }), cut()), said),
  }
}
