import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { delay, error, reply, stop, toolCall } from "@sandbox-agent/scripted-model/script"
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
const bash = (command: string) => reply(toolCall("Bash", { command }))

/** Relative paths are the suite's; Claude Code's tools want absolute ones. */
function absolute(request: ModelRequest, path: string): string {
  const directory = /orking directory: ([^\\"]+)/.exec(JSON.stringify(request.body))?.[1] ?? ""
  return `${directory.trim()}/${path}`
}

const planFile = (request: ModelRequest): string =>
  /\/[^\s"\\]*plans\/[^\s"\\]+\.md/.exec(JSON.stringify(request.body))?.[0] ?? "/nowhere"

const nativeQuestion = ({ several, ...question }: Asked) => ({ ...question, multiSelect: several })
const ask = (...questions: Asked[]) => reply(toolCall("AskUserQuestion", { questions: questions.map(nativeQuestion) }))

const todos = (...states: string[]) =>
  reply(
    toolCall("TodoWrite", { todos: states.map((status, i) => ({ content: `Step ${i}`, status, activeForm: "x" })) }),
  )

const tooMany = error(429, "slow down", { retryAfter: 1 })

/** Each act tells the model what to answer to the message it gives. */
export function claudeActs(
  model: ScriptedModel,
  /** Behind its adapter for ACP, which tells of a refused answer and not of a retry. */
  isAdapted = false,
): Acts {
  const marks = new Marks(model, saidIn)
  const { act } = marks
  return {
    ...modelActs(marks),
    ...variantAct(marks),
    ...modeAct(marks, /The user wants a plan, not changes/),
    tool: () => act(bash("echo hi"), "done"),
    run: (command) => act(bash(command), "ran"),
    askToRun: (command) => act(bash(command), "ran"),
    write: (path, content) =>
      act((request) => reply(toolCall("Write", { file_path: absolute(request, path), content })), "written"),
    question: () => act(ask(colour), "thanks"),
    questions: () => act(ask(colour, toppings, naming), "thanks"),
    plan: () =>
      act(
        (request) => reply(toolCall("Write", { file_path: planFile(request), content: "# The plan" })),
        reply(toolCall("ExitPlanMode", {})),
        "as you say",
      ),
    todo: () => act(todos("in_progress", "pending"), todos("completed", "completed"), "done"),
    subagent: () => {
      const task = { description: "Sub", subagent_type: "general-purpose", run_in_background: false }
      const prompt = `${marks.next} look`
      return act(reply(toolCall("Agent", { ...task, prompt })), bash("echo inner"), "inner done", "outer done")
    },
    // Again and again: whenever the message comes, there is a call behind it.
    steerable: () => act(times(everyTry, reply(flow(1_500), toolCall("Bash", { command: "echo on" })))),
    longRun: (command) => act(bash(`bash -c ${JSON.stringify(command)}`), "ended"),
    note: () => act(isAdapted ? reply(stop("refusal")) : tooMany, reply(delay(1), "noted")),
    mcpTool: () => act(reply(toolCall("mcp__probe__ping", {})), "pinged"),
    unauthorized: () => act(times(everyTry, error(401, "invalid x-api-key"))),
  }
}
