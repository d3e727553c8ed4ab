import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import type { Acts } from "../acts.ts"
import { endless, Marks, modelActs, variantAct } from "./scripted-acts.ts"

/** Its mode `deep` has a model of another provider, and other tools. */
const isDeep = ({ tools }: ModelRequest): boolean => tools.includes("shell_command")

const saidIn = ({ body }: ModelRequest): string => JSON.stringify(body.messages ?? body.input)

const run = (command: string) => (request: ModelRequest) =>
  reply(isDeep(request) ? toolCall("shell_command", { command }) : toolCall("Bash", { cmd: command }))

const directoryOf = ({ body }: ModelRequest): string =>
  /orking directory: ([^\\"]+)/.exec(JSON.stringify(body))?.[1]?.trim() ?? ""

function write(request: ModelRequest, path: string, content: string) {
  const patch = `*** Begin Patch\n*** Add File: ${path}\n+${content}\n*** End Patch`
  if (isDeep(request)) return reply(toolCall("apply_patch", { patchText: patch }))
  return reply(toolCall("create_file", { path: `${directoryOf(request)}/${path}`, content }))
}

/** Each mode has a model of its own. */
const modes: readonly (readonly [RegExp, string])[] = [
  [/haiku/, "rush"],
  [/opus-4-6/, "large"],
  [/^gpt/, "deep"],
]

/** Each act tells the model what to answer to the message it gives. */
export function ampActs(model: ScriptedModel): Acts {
  const marks = new Marks(model, saidIn)
  const { act } = marks
  const { overloaded: _, cut: __, ...common } = modelActs(marks)
  return {
    ...common,
    ...variantAct(marks),
    whichMode: () => act(({ model: asked }) => modes.find(([name]) => name.test(asked))?.[1] ?? "build"),
    tool: () => act(run("echo hi"), "done"),
    run: (command) => act(run(command), "ran"),
    askToRun: (command) => act(run(command), "ran"),
    write: (path, content) => act((request) => write(request, path, content), "written"),
    // A message is told when it is whole: the first one is, then it goes on.
    longText: () =>
      act((request) => reply("I look first.", toolCall("Read", { path: directoryOf(request) })), reply(endless)),
    longRun: (command) => act(run(command), "ended"),
    subagent: () => {
      const prompt = `${marks.next} look`
      return act(reply(toolCall("Task", { prompt, description: "Sub" })), run("echo inner"), "inner done", "outer done")
    },
    mcpTool: () => act(reply(toolCall("mcp__probe__ping", {})), "pinged"),
  }
}
