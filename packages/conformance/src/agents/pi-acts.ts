import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { delay, error, reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { times } from "@sandbox-agent/scripted-model/step"
import type { Acts } from "../acts.ts"
import { type Asked, colour, everyTry, flow, Marks, modelActs, naming, toppings } from "./scripted-acts.ts"

const saidIn = (request: ModelRequest): string => JSON.stringify(request.body.messages)
const bash = (command: string) => reply(toolCall("bash", { command }))

const nativeQuestion = ({ several, ...question }: Asked) => ({ ...question, multiSelect: several })
const ask = (...questions: Asked[]) => reply(toolCall("ask_user", { questions: questions.map(nativeQuestion) }))

/** Each act tells the model what to answer to the message it gives. */
export function piActs(model: ScriptedModel): Acts {
  const marks = new Marks(model, saidIn)
  const { act } = marks
  const look = toolCall("read", { path: "." })
  return {
    ...modelActs(marks),
    // A model that shall not think is asked for no effort.
    whichVariant: () => act(({ effort }) => effort ?? "off"),
    tool: () => act(reply(look), "done"),
    run: (command) => act(bash(command), "ran"),
    askToRun: (command) => act(bash(command), "ran"),
    write: (path, content) => act(reply(toolCall("write", { path, content })), "written"),
    question: () => act(ask(colour), "thanks"),
    questions: () => act(ask(colour, toppings, naming), "thanks"),
    // Again and again: whenever the message comes, there is a call behind it.
    steerable: () => act(times(everyTry, reply(flow(1_500), look))),
    longRun: (command) => act(bash(command), "ended"),
    note: () => act(error(429, "slow down", { retryAfter: 1 }), reply(delay(1), "noted")),
    mcpTool: () => act(reply(toolCall("mcp__probe__ping", {})), "pinged"),
  }
}
