import { spawn } from "node:child_process"
import { type Command, MAX_TIMER_MS, split, wholeNumber } from "./command.ts"

export const subagent: Command = {
  hint: "",
  description: "Gives a task to a sub-agent",
  run(_, turn) {
    const { blocks } = turn
    const task = JSON.stringify({ description: "Count the files", prompt: "How many files are here?" })
    const call = blocks.call({ name: "Task", tool: "other", title: "Count the files", arguments: task })
    const inner = blocks.inside(call)
    inner.whole({ kind: "text" }, "I will list the files.")
    const list = inner.call({ name: "List", tool: "search", arguments: JSON.stringify({ path: "." }) })
    inner.result(list, { text: "a.txt\nb.txt" })
    blocks.result(call, { text: "There are 2 files." })
  },
}

export const grandchild: Command = {
  hint: "",
  description: "Leaves a process running, in a session of its own",
  async run(_, turn) {
    const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" })
    child.unref()
    await turn.stream("text", `grandchild pid ${child.pid}`)
  },
}

export const background: Command = {
  hint: "MS",
  description: "Starts work that ends after the turn and then starts a turn by itself",
  run(argument, turn) {
    const ms = wholeNumber(split(argument, 1)[0], "MS", 0, MAX_TIMER_MS)
    const call = turn.blocks.call({ name: "Background", tool: "execute", arguments: JSON.stringify({ ms }) })
    turn.blocks.result(call, { text: "Running in the background.", detached: true })
    turn.agent.background.start(call, ms)
  },
}
