import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { Part } from "@sandbox-agent/scripted-model/part"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { reply, thinking, toolCall } from "@sandbox-agent/scripted-model/script"
import type { Acts } from "../acts.ts"
import { type Asked, colour, Marks, modelActs, naming, toppings } from "./scripted-acts.ts"

/** How the tools of an agent are called. */
export interface Tools {
  run: string
  write: string
  /** Where the session works, in what the model is told; without it relative paths do. */
  directory?: RegExp
  /** A todo list of such states. */
  todos?(states: readonly string[]): Part
  ask?: string
  /** After a second answer it asks the model what the user may say next, and tells that. */
  suggests?: boolean
  /** A thought in pieces is several to it. */
  wholeThoughts?: boolean
  ping: string
}

const saidIn = ({ messages }: ModelRequest): string => JSON.stringify(messages)

const nativeQuestion = ({ several, ...question }: Asked) => ({ ...question, multiSelect: several })

/** Acts of an agent whose tools have these names: each tells the model what to answer to the message it gives. */
export function actsWith(model: ScriptedModel, tools: Tools): Acts {
  const marks = new Marks(model, saidIn)
  const { act } = marks
  const { directory, todos, ask } = tools
  const run = (command: string) => reply(toolCall(tools.run, { command, description: "runs it" }))
  const absolute = (request: ModelRequest, path: string): string => {
    const found = directory?.exec(JSON.stringify(request.body))?.[1]
    return found === undefined ? path : `${found.trim()}/${path}`
  }
  const asking = (tool: string, ...questions: Asked[]) =>
    reply(toolCall(tool, { questions: questions.map(nativeQuestion) }))
  return {
    ...modelActs(marks),
    ...(tools.wholeThoughts && { think: (thought: string) => act(reply(thinking(thought), "done")) }),
    tool: () => act(run("echo hi"), "done"),
    run: (command) => act(run(command), "ran"),
    askToRun: (command) => act(run(command), "ran"),
    write: (path, content) =>
      act((request) => reply(toolCall(tools.write, { file_path: absolute(request, path), content })), "written"),
    ...(ask !== undefined && {
      question: () => act(asking(ask, colour), "thanks"),
      questions: () => act(asking(ask, colour, toppings, naming), "thanks"),
    }),
    ...(todos !== undefined && {
      todo: () => act(reply(todos(["in_progress", "pending"])), reply(todos(["completed", "completed"])), "done"),
    }),
    longRun: (command) => act(run(command), "ended"),
    note: () => (tools.suggests && todos ? act(reply(todos(["completed"])), "noted", "run the tests") : act("noted")),
    mcpTool: () => act(reply(toolCall(tools.ping, {})), "pinged"),
  }
}
