import { callLimits } from "@sandbox-agent/schema/driver-limits"
import type { Json } from "../shared/json.ts"
import { forget, merge, newTool, type Tool, weightOf } from "./tool.ts"

/** Calls of tools that are not over, and those of this turn and the last that are. Some never get a result. */
export class KnownTools {
  readonly #tools = new Map<string, Tool>()
  /** Done in the turn that has just ended: what still comes of them is nothing new. */
  #past = new Set<string>()
  /** The same of this turn, of those that were too many. */
  #dropped = new Set<string>()
  #chars = 0

  /** `settled`: what the log has to be told of a call before its arguments are let go of. */
  constructor(private readonly settled: (tool: Tool) => void) {}

  get(id: string): Tool | undefined {
    return this.#tools.get(id)
  }

  all(): Iterable<Tool> {
    return this.#tools.values()
  }

  isPast(id: string): boolean {
    return this.#past.has(id) || this.#dropped.has(id)
  }

  /** It begins anew. Whether it was over. */
  again(id: string): boolean {
    const [past, dropped] = [this.#past.delete(id), this.#dropped.delete(id)]
    return past || dropped
  }

  take(id: string, update: Json, late: boolean): Tool {
    const tool = this.#tools.get(id) ?? newTool(id, late)
    this.#tools.set(id, tool)
    merge(tool, update)
    return tool
  }

  /** What it holds has changed. */
  weigh(tool: Tool): void {
    const chars = weightOf(tool)
    this.#chars += chars - tool.chars
    tool.chars = chars
    this.#bound(tool)
  }

  /** Calls that began outside a turn go on; those that are over are known for one more turn. */
  turnEnded(): void {
    this.#past = this.#dropped
    this.#dropped = new Set()
    for (const tool of this.#tools.values()) if (!tool.late || tool.result === "closed") this.#drop(tool, this.#past)
  }

  #drop(tool: Tool, to: Set<string>): void {
    this.#tools.delete(tool.id)
    this.#chars -= tool.chars
    if (tool.call === "none") return
    to.add(tool.id)
    const [oldest] = to
    if (to.size > callLimits.waitingCalls && oldest !== undefined) to.delete(oldest)
  }

  /** One without its arguments still gets its result; of one that is not known any more the core tells that there is none. */
  #bound(latest: Tool): void {
    if (this.#tools.size > callLimits.waitingCalls) {
      const [oldest] = this.#tools.values()
      const over = this.#tools.values().find(({ result }) => result === "closed")
      const least = over ?? oldest
      if (least !== undefined) this.#letGo(least)
      if (least !== undefined) this.#drop(least, this.#dropped)
    }
    for (const tool of this.#tools.values()) {
      if (this.#chars <= callLimits.waitingInputChars) return
      // Somebody may be asked about it just now.
      if (tool !== latest) this.#letGo(tool)
    }
  }

  #letGo(tool: Tool): void {
    if (tool.result !== "closed") this.settled(tool)
    forget(tool)
    this.#chars += weightOf(tool) - tool.chars
    tool.chars = weightOf(tool)
  }
}
