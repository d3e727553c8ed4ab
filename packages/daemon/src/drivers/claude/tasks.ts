import { limits } from "@sandbox-agent/schema/limits"
import type { Sink } from "../../core/driver-sink.ts"
import type { Confinement } from "../../files/confinement.ts"
import { readRegularFrom } from "../../files/regular-file.ts"
import { record, text } from "../shared/json.ts"
import type { SystemLine } from "./native.ts"

interface Task {
  call?: string
  type?: string
  background: boolean
}

/** Sub-agents and commands, as Claude Code reports them: of interest is what goes on without a turn. */
export class Tasks {
  readonly #tasks = new Map<string, Task>()
  /** Newer versions tell the whole list; for older ones we count. */
  #listed: readonly string[] | undefined

  constructor(
    private readonly sink: Sink,
    private readonly reach: Confinement,
  ) {}

  get background(): string[] {
    if (this.#listed !== undefined) return [...this.#listed]
    return [...this.#tasks].filter(([, task]) => task.background).map(([id]) => id)
  }

  /** A sub-agent is at work; what it says of itself has no mark of whose it is. */
  get delegating(): boolean {
    return [...this.#tasks.values()].some(({ type }) => type === "local_agent")
  }

  isBackground(id: string | undefined): boolean {
    return id !== undefined && this.background.includes(id)
  }

  started({ task_id = "", tool_use_id, task_type, is_backgrounded = false, description }: SystemLine): void {
    this.#tasks.set(task_id, { call: tool_use_id, type: task_type, background: is_backgrounded })
    if (is_backgrounded || task_type === "local_agent") this.sink.status("task_started", description)
    this.#count()
  }

  updated({ task_id = "", patch }: SystemLine): void {
    const task = this.#tasks.get(task_id)
    if (task !== undefined && patch?.is_backgrounded !== undefined) task.background = patch.is_backgrounded
    this.#count()
  }

  changed({ tasks = [] }: SystemLine): void {
    this.#listed = tasks.map(({ task_id }) => task_id)
    this.#count()
  }

  /** Whether this result only says that the work goes on. */
  launched(call: string, structured: unknown): boolean {
    const { backgroundTaskId, isAsync, agentId } = record(structured)
    const id = text(backgroundTaskId) ?? (isAsync === true ? text(agentId) : undefined)
    if (id === undefined) return false
    const task = this.#tasks.get(id)
    this.#tasks.set(id, { call, type: task?.type, background: true })
    this.#count()
    return true
  }

  /** The end of a task; of one in the background it is the late result of its call. */
  ended(line: SystemLine): boolean {
    const { task_id = "", tool_use_id, status, summary = "" } = line
    const background = this.isBackground(task_id) || this.#tasks.get(task_id)?.background === true
    const task = this.#tasks.get(task_id)
    this.#tasks.delete(task_id)
    this.#listed = this.#listed?.filter((id) => id !== task_id)
    const call = tool_use_id ?? task?.call
    if (background && call !== undefined) {
      const complete = (more = "") =>
        this.#late(call, task_id, [summary, more].join("\n").trim(), status !== "completed")
      if (task?.type === "local_bash" && line.output_file)
        this.sink.after(endOf(line.output_file, this.reach), complete)
      else complete()
    }
    this.#count()
    return background
  }

  #late(call: string, task: string, output: string, failed: boolean): void {
    const content = [{ type: "tool_result" as const, call_id: call, output, ...(failed && { is_error: true }) }]
    const key = `${call}:end:${task}`
    this.sink.open({ key, kind: "tool_result", role: "tool", content })
    this.sink.close(key, { status: failed ? "failed" : "completed", content })
  }

  #count(): void {
    this.sink.background(this.background.length)
  }
}

/** The end of a command's output, as much as an event holds. The file is not ours, and may be gone. */
async function endOf(path: string, reach: Confinement): Promise<string> {
  const end = await readRegularFrom(path, 0, limits.toolOutputBytes, reach)
  return end?.bytes.toString("utf8") ?? ""
}
