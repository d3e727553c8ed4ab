import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import { fromMain, fromSubagent } from "@sandbox-agent/scripted-model/match"
import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { error, reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { type ScriptItem, when } from "@sandbox-agent/scripted-model/step"
import type { Acts } from "../acts.ts"
import { type Asked, colour, Marks, modeAct, modelActs, naming, toppings, variantAct } from "./scripted-acts.ts"

const saidIn = (request: ModelRequest): string => JSON.stringify(request.body.input)
const run = (cmd: string) => reply(toolCall("exec_command", { cmd, yield_time_ms: 30_000 }))
const patch = (...lines: string[]) =>
  reply(toolCall("apply_patch", ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")))
const agents = { namespace: "collaboration" }

const nativeQuestion = ({ header, question, options }: Asked) => ({
  id: header.toLowerCase(),
  header,
  question,
  options,
})
const asking = (...questions: Asked[]) =>
  reply(toolCall("request_user_input", { questions: questions.map(nativeQuestion) }))

const plan = (...states: string[]) =>
  reply(toolCall("update_plan", { plan: states.map((status, i) => ({ step: `Step ${i}`, status })) }))

/** Each act tells the model what to answer to the message it gives; `ask`: a command that has to be asked for. */
export function codexActs(model: ScriptedModel, ask: (command: string) => ScriptItem = run): Acts {
  const marks = new Marks(model, saidIn)
  const { act } = marks
  return {
    ...modelActs(marks),
    ...variantAct(marks),
    ...modeAct(marks, /<collaboration_mode>\\*n?# Plan Mode/),
    tool: () => act(run("echo hi"), "done"),
    run: (command) => act(run(command), "ran"),
    askToRun: (command) => act(ask(command), "ran"),
    write: (path, content) => act(patch(`*** Add File: ${path}`, `+${content}`), "written"),
    question: () => act(asking(colour), "thanks"),
    questions: () => act(asking(colour, toppings, naming), "thanks"),
    todo: () => act(plan("in_progress", "pending"), plan("completed", "completed"), "done"),
    subagent() {
      const task = { task_name: "sub_one", message: `${marks.next} look` }
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
    longRun: (command) => act(run(command), "ended"),
    note: () => act(error(429, "slow down", { retryAfter: 1 }), "noted"),
    mcpTool: () => act(reply(toolCall("ping", {}, { namespace: "mcp__probe" })), "pinged"),
  }
}
