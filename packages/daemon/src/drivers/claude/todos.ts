import type { PlanEntry } from "@sandbox-agent/schema/event"
import type { SessionSink } from "../../core/driver-sink.ts"
import { record, text } from "../shared/json.ts"
import type { Call } from "../shared/waiting-calls.ts"

/** Claude Code's todo list: whole with each TodoWrite, or piece by piece with the Task tools. */
export class Todos {
  readonly #tasks = new Map<string, PlanEntry>()

  constructor(private readonly sink: SessionSink) {}

  called({ name, input }: Call): void {
    if (name !== "TodoWrite" || !Array.isArray(input.todos)) return
    this.sink.plan(input.todos.map(record).map(({ content, status }) => entry(text(content), status)))
  }

  finished({ name, input }: Call, result: unknown): void {
    if (name === "TaskCreate") {
      const { id, subject } = record(record(result).task)
      const key = text(id)
      if (key === undefined) return
      this.#tasks.set(key, entry(text(subject) ?? text(input.subject), "pending"))
    } else if (name === "TaskUpdate") {
      const key = text(input.taskId) ?? ""
      const known = this.#tasks.get(key)
      if (known === undefined) return
      if (input.status === "deleted") this.#tasks.delete(key)
      else this.#tasks.set(key, entry(text(input.subject) ?? known.content, input.status ?? known.status))
    } else return
    this.sink.plan([...this.#tasks.values()])
  }
}

const states = ["pending", "in_progress", "completed"] as const

function entry(content: string | undefined, status: unknown): PlanEntry {
  return { content: content ?? "", status: states.find((state) => state === status) ?? "pending" }
}
