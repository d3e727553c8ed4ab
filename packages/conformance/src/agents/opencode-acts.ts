import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { delay, error, reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { times } from "@sandbox-agent/scripted-model/step"
import type { Acts } from "../acts.ts"
import {
  type Asked,
  colour,
  everyTry,
  flow,
  Marks,
  modeAct,
  modelActs,
  naming,
  toppings,
  variantAct,
} from "./scripted-acts.ts"

const saidIn = (request: ModelRequest): string => JSON.stringify(request.body.messages)
const bash = (command: string) => reply(toolCall("bash", { command, description: "As told" }))

const nativeQuestion = ({ several, ...question }: Asked) => ({ ...question, multiple: several })
const ask = (...questions: Asked[]) => reply(toolCall("question", { questions: questions.map(nativeQuestion) }))

const todos = (...states: string[]) =>
  reply(
    toolCall("todowrite", { todos: states.map((status, i) => ({ content: `Step ${i}`, status, priority: "low" })) }),
  )

/** Each act tells the model what to answer to the message it gives. `steered`: messages may come into a turn that runs. */
export function opencodeActs(model: ScriptedModel, steered = true): Acts {
  const marks = new Marks(model, saidIn)
  const { act } = marks
  return {
    ...modelActs(marks),
    ...variantAct(marks),
    ...modeAct(marks, /Plan mode (ACTIVE|is active)/),
    tool: () => act(todos("pending"), "done"),
    run: (command) => act(bash(command), "ran"),
    askToRun: (command) => act(bash(command), "ran"),
    write: (path, content) => act(reply(toolCall("write", { filePath: path, content })), "written"),
    question: () => act(ask(colour), "thanks"),
    questions: () => act(ask(colour, toppings, naming), "thanks"),
    todo: () => act(todos("in_progress", "pending"), todos("completed", "completed"), "done"),
    subagent: () => {
      const prompt = `${marks.next} look`
      const task = { description: "Sub", subagent_type: "general", prompt }
      return act(reply(toolCall("task", task)), bash("echo inner"), "inner done", "outer done")
    },
    // Again and again: whenever the message comes, there is a call behind it.
    ...(steered && { steerable: () => act(times(everyTry, reply(flow(1_500), ...todos("pending").parts))) }),
    longRun: (command) => act(bash(`bash -c ${JSON.stringify(command)}`), "ended"),
    note: () => act(error(429, "slow down", { retryAfter: 1 }), reply(delay(1), "noted")),
    mcpTool: () => act(reply(toolCall("probe_ping", {})), "pinged"),
  }
}
