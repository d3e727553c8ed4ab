import type { PlanEntry } from "@sandbox-agent/schema/event"
import { sleep as pause } from "../interrupt.ts"
import { type Command, MAX_TIMER_MS, required, split, wholeNumber } from "./command.ts"

const todos = ["Read the code", "Change it", "Run the tests"]

export const todo: Command = {
  hint: "",
  description: "Works through a list of three entries",
  run(_, turn) {
    // Before step 0 all are pending, after the last all are completed.
    for (let current = -1; current <= todos.length; current++) {
      const entries = todos.map((content, i): PlanEntry => {
        const status = i < current ? "completed" : i === current ? "in_progress" : "pending"
        return { content, status, priority: "medium" }
      })
      turn.agent.out.line({ type: "plan", entries })
    }
  },
}

export const usage: Command = {
  hint: "",
  description: "Reports tokens and cost, twice",
  run(_, turn) {
    const context = { context_size: 200_000 }
    const first = { input_tokens: 1200, output_tokens: 300, cached_tokens: 800, reasoning_tokens: 100, cost_usd: 0.25 }
    const second = { input_tokens: 400, output_tokens: 100, cached_tokens: 1200, cost_usd: 0.125 }
    turn.agent.out.line({ type: "usage", increment: { ...first, ...context, context_used: 1500 } })
    turn.agent.out.line({ type: "usage", increment: { ...second, ...context, context_used: 2000 } })
  },
}

export const title: Command = {
  hint: "TEXT",
  description: "Names the session",
  run: (text, turn) => turn.agent.out.line({ type: "session", title: required(text, "TEXT").trim() }),
}

export const sleep: Command = {
  hint: "MS",
  description: "Waits",
  async run(argument, turn) {
    const ms = wholeNumber(split(argument, 1)[0], "MS", 0, MAX_TIMER_MS)
    turn.agent.out.line({ type: "status", label: "sleep", detail: `${ms} ms` })
    await pause(ms, turn.signal)
  },
}
