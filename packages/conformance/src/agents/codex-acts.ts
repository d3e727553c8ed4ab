import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import { fromMain, fromSubagent } from "@sandbox-agent/scripted-model/match"
import type { Part } from "@sandbox-agent/scripted-model/part"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { cut, error, reply, text, thinking, toolCall, words } from "@sandbox-agent/scripted-model/script"
import { type Matcher, optional, type ScriptItem, times, when } from "@sandbox-agent/scripted-model/step"
import type { Acts } from "../acts.ts"

const saidIn = (request: ModelRequest): string => JSON.stringify(request.body.input)
const run = (cmd: string) => reply(toolCall("exec_command", { cmd, yield_time_ms: 30_000 }))
const patch = (...lines: string[]) =>
  reply(toolCall("apply_patch", ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")))
const agents = { namespace: "collaboration" }

/** Chunks that come for so long. */
const flow = (ms: number): Part =>
  text(
    Array.from({ length: ms / 20 }, (_, i) => `word${i} `),
    { delayMs: 20 },
  )

const asking = (id: string, question: string, ...labels: string[]) => ({
  id,
  header: id,
  question,
  options: labels.map((label) => ({ label, description: label })),
})
const colour = asking("colour", "Which colour?", "Red", "Blue")
const toppings = asking("toppings", "Which toppings?", "Cheese", "Olives", "Ham")
const naming = asking("name", "Which name?", "Ann", "Bob")

const plan = (...states: string[]) =>
  reply(toolCall("update_plan", { plan: states.map((status, i) => ({ step: `Step ${i}`, status })) }))

const seenTypes = ({ messages }: ModelRequest): string =>
  messages.flatMap(({ images }) => images.map(({ mediaType }) => mediaType)).join(", ") || "nothing"

/** More than Codex ever tries. */
const everyTry = 20

/** Each act tells the model what to answer to the message it gives; `ask`: a command that has to be asked for. */
export function codexActs(model: ScriptedModel, ask: (command: string) => ScriptItem = run): Acts {
  let count = 0
  const marked = (mark: string): Matcher => {
    return (request) =>
      saidIn(request)
        .match(/\[act-\d+\]/g)
        ?.at(-1) === mark
  }
  /** The steps answer the conversation whose last message this is: sessions and forks do not mix. */
  const act = (...steps: ScriptItem[]): string => {
    const mark = `[act-${++count}]`
    model.script(steps.map((step) => optional(when(marked(mark), step))))
    return `${mark} please`
  }
  return {
    say: (said) => act(reply(text(words(said)))),
    think: (thought) => act(reply(thinking(words(thought)), "done")),
    tool: () => act(run("echo hi"), "done"),
    run: (command) => act(run(command), "ran"),
    askToRun: (command) => act(ask(command), "ran"),
    write: (path, content) => act(patch(`*** Add File: ${path}`, `+${content}`), "written"),
    question: () => act(reply(toolCall("request_user_input", { questions: [colour] })), "thanks"),
    questions: () => act(reply(toolCall("request_user_input", { questions: [colour, toppings, naming] })), "thanks"),
    todo: () => act(plan("in_progress", "pending"), plan("completed", "completed"), "done"),
    usage: () => act("counted"),
    subagent() {
      const mark = `[act-${count + 1}]`
      const task = { task_name: "sub_one", message: `${mark} look` }
      const main = (step: ScriptItem) => when(fromMain(), step)
      const sub = (step: ScriptItem) => when(fromSubagent(), step)
      return act(
        main(reply(toolCall("spawn_agent", task, agents))),
        main(reply(toolCall("wait_agent", { timeout_ms: 20_000 }, agents))),
        main("outer done"),
        sub(run("echo inner")),
        sub("inner done"),
      )
    },
    longText: () => act(reply(flow(60_000))),
    longRun: (command) => act(run(command), "ended"),
    fail: (message) => act(times(everyTry, error(400, message))),
    note: () => act(error(429, "slow down", { retryAfter: 1 }), "noted"),
    mcpTool: () => act(reply(toolCall("ping", {}, { namespace: "mcp__probe" })), "pinged"),
    look: () => act(seenTypes),
    recall: (said) => act((request) => (saidIn(request).includes(said) ? said : "forgotten")),
    whichModel: () => act(({ model: asked }) => asked),
    whichVariant: () => act(({ effort }) => effort ?? "none"),
    unauthorized: () => act(times(everyTry, error(401, "invalid api key"))),
    overloaded: (said) => act(error(429, "slow down", { retryAfter: 1 }), said),
    cut: (said) => act(reply(text("half of", { open: true }), cut()), said),
  }
}
