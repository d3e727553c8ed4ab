import type { ItemSink, SessionSink } from "../../core/driver-sink.ts"
import { AssistantText } from "./assistant-text.ts"
import { Calls } from "./calls.ts"
import { Commands } from "./commands.ts"
import type { FileChange, Item } from "./native.ts"
import { RawCalls } from "./raw-calls.ts"
import { type Tool, tools } from "./tools.ts"

/** What happens in one thread: the session's own, or that of a sub-agent, which hangs on the call that started it. */
export class Thread {
  readonly calls: Calls
  readonly says: AssistantText
  readonly commands: Commands
  readonly raw: RawCalls
  /** Of patches that are not done: their approval does not say what they change. */
  readonly #patches = new Map<string, readonly FileChange[]>()
  /** Calls of MCP tools that run: their approval does not say which it is. */
  readonly #mcp = new Map<string, Item>()
  /** The turn that runs in it. */
  turn: string | undefined
  /** The end of an interrupted turn waits until its commands are dead. */
  ending = false

  constructor(
    private readonly sink: ItemSink & SessionSink,
    readonly id: string,
    /** Key of the call that started it. */
    readonly parent?: string,
  ) {
    const prefix = parent === undefined ? "" : `${id}/`
    this.calls = new Calls(sink, prefix, parent)
    this.says = new AssistantText(sink, prefix, parent)
    this.commands = new Commands(this.calls)
    this.raw = new RawCalls(this.calls)
  }

  changesOf(id: string): readonly FileChange[] {
    return this.#patches.get(id) ?? []
  }

  /** The call of this server that waits for its approval: the newest. */
  mcpCall(server: string): Item | undefined {
    return [...this.#mcp.values()].findLast((item) => item.server === server)
  }

  /** `false`: nobody knows what it is. */
  started(item: Item): boolean {
    if (item.type === "commandExecution") this.commands.started(item, this.raw.argumentsOf(item.id))
    else if (item.type in tools) this.#toolStarted(item, tools[item.type] as Tool)
    else if (!silent.includes(item.type)) return false
    return true
  }

  completed(item: Item): boolean {
    switch (item.type) {
      case "agentMessage":
      case "plan":
        this.says.message(item)
        return true
      case "reasoning":
        this.says.thought(item)
        return true
      case "commandExecution":
        this.commands.completed(item)
        return true
      case "enteredReviewMode":
        this.sink.status("review_started", item.review)
        return true
      case "exitedReviewMode":
        this.sink.status("review_ended")
        return true
      case "contextCompaction":
        this.sink.status("context_compaction")
        return true
      case "hookPrompt":
        this.sink.status("hook_prompt")
        return true
    }
    if (!(item.type in tools)) return item.type === "userMessage"
    this.#toolCompleted(item, tools[item.type] as Tool)
    return true
  }

  /** All that belongs to its turn is over. */
  clear(): void {
    this.turn = undefined
    this.#patches.clear()
    this.#mcp.clear()
    this.says.clear()
    this.raw.clear()
    this.calls.clear()
  }

  #toolStarted(item: Item, tool: Tool): void {
    if (item.type === "fileChange") this.#patches.set(item.id, item.changes ?? [])
    if (item.type === "mcpToolCall") this.#mcp.set(item.id, item)
    if (!tool.whole) this.calls.call(item.id, tool.call(item))
  }

  #toolCompleted(item: Item, tool: Tool): void {
    const { id } = item
    this.#patches.delete(id)
    this.#mcp.delete(id)
    // An item that outlives its turn has no call any more that waits for it.
    if (this.turn === undefined && !this.calls.has(id)) return
    this.calls.call(id, tool.call(item))
    const result = tool.result(item, this.sink)
    this.calls.result(id, item.status === "declined" ? { ...result, output: this.calls.refusal(id) } : result)
  }
}

/** Shown with their first word or at their end. */
const silent = [
  ...["userMessage", "agentMessage", "plan", "reasoning", "hookPrompt"],
  ...["enteredReviewMode", "exitedReviewMode", "contextCompaction", "subAgentActivity"],
]
