import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import type { ItemSink, PassthroughSink } from "../../core/driver-sink.ts"
import { at, type Json, record, text } from "../shared/json.ts"
import type { Contents } from "./content.ts"
import { KnownTools } from "./known-tools.ts"
import type { Messages } from "./messages.ts"
import type { Terminals } from "./terminals.ts"
import { argumentsOf, callPart, forget, hasBegun, hasInput, isFinal, parentOf, type Tool } from "./tool.ts"
import { hasFailed, resultParts } from "./tool-result.ts"
import type { Turn } from "./turn.ts"

export interface ToolCallParts {
  sink: ItemSink & PassthroughSink
  messages: Messages
  contents: Contents
  terminals: Terminals
  turn: Pick<Turn, "underWay">
}

/** Calls of tools and their results. The first word of a call may be an update, or the question whether it may run. */
export class ToolCalls {
  readonly #tools = new KnownTools((tool) => this.#closeCall(tool))

  constructor(private readonly parts: ToolCallParts) {
    parts.terminals.onOutput = (terminalId, output) => this.#terminal(terminalId, output)
  }

  update(update: Json): void {
    const id = text(update.toolCallId) ?? ""
    const again = update.sessionUpdate === "tool_call" && this.#tools.again(id)
    if (!again && (this.#tools.isPast(id) || this.#tools.get(id)?.result === "closed"))
      return this.parts.sink.native("session/update")
    const known = this.#tools.get(id)
    if (known === undefined && onlyMeta(update)) return this.parts.sink.native("session/update")
    if (known === undefined) this.endRefused(parentOf(update))
    const before = known && stateOf(known)
    const tool = this.#take(id, update)
    this.#show(tool)
    if (hasBegun(tool)) this.#closeCall(tool)
    const grown = tool.call === "open" && this.#showInput(tool)
    this.#output(tool, text(at(update, "_meta", "terminal_output_delta", "data")))
    if (isFinal(tool)) this.#finish(tool)
    this.#tools.weigh(tool)
    // A title, a place, words that will be replaced: nothing yet for the transcript.
    if (before === stateOf(tool) && !grown) this.parts.sink.native("session/update")
  }

  /** The agent asks whether it may run: what it tells with that belongs to the call. */
  asked(toolCall: Json): Tool {
    const id = text(toolCall.toolCallId) ?? ""
    this.#tools.again(id)
    const tool = this.#take(id, { ...toolCall, status: undefined })
    this.#show(tool)
    this.#closeCall(tool)
    this.#tools.weigh(tool)
    return tool
  }

  knows(id: string): boolean {
    return this.#tools.get(id) !== undefined
  }

  refused(id: string, message: string | undefined): void {
    const tool = this.#tools.get(id)
    if (tool !== undefined) tool.refusal = message ?? ""
  }

  /** The model goes on: some agents say no more of a call that was refused. A call within which it does runs. */
  endRefused(parent?: string): void {
    const outer = parent === undefined ? undefined : this.#tools.get(parent)
    if (outer !== undefined) this.#closeCall(outer)
    for (const tool of this.#tools.all()) {
      if (tool.refusal === undefined || tool.result === "closed" || tool.parent !== parent) continue
      tool.status = "failed"
      this.#finish(tool)
    }
  }

  /** The agent is done with its turn: what it has told of a call is all there is. */
  endCalls(): void {
    for (const tool of this.#tools.all()) if (!tool.late && hasInput(tool)) this.#closeCall(tool)
  }

  /** Whatever is open of the turn the core ends now. Calls that began outside a turn go on. */
  turnEnded(): void {
    // What was told of its result in the turn has ended with it.
    for (const tool of this.#tools.all())
      if (tool.late && tool.result === "open" && !tool.lateResult) tool.result = "none"
    this.#tools.turnEnded()
  }

  #take(id: string, update: Json): Tool {
    const tool = this.#tools.take(id, update, !this.parts.turn.underWay)
    for (const block of tool.content) {
      const { type, terminalId } = record(block)
      if (type === "terminal" && text(terminalId) !== undefined)
        this.parts.terminals.shownBy(text(terminalId) ?? "", id)
    }
    return tool
  }

  #show(tool: Tool): void {
    const { sink, messages } = this.parts
    if (tool.call !== "none") return
    messages.end(tool.parent)
    tool.call = "open"
    const { id: key, parent } = tool
    const part = callPart(tool)
    noteShown(tool, part.arguments)
    sink.open({ key, kind: "tool_call", role: "assistant", parent, content: [part] })
  }

  /** Arguments that may still change, as far as they are known. Whether there was anything new in them. */
  #showInput(tool: Tool): boolean {
    if (tool.input === tool.shown) return false
    const [had, now] = [tool.shownJson, argumentsOf(tool)]
    noteShown(tool, now)
    if (had === now || now.length > acpAgentLimits.shownInputChars) return false
    this.parts.sink.snapshot(tool.id, { index: 0, type: "arguments" }, now)
    return true
  }

  #closeCall(tool: Tool): void {
    if (tool.call !== "open") return
    tool.call = "closed"
    noteShown(tool, undefined)
    this.parts.sink.close(tool.id, { status: "completed", content: [callPart(tool)] })
  }

  #terminal(terminalId: string, output: string): void {
    const tool = this.#tools.get(this.parts.terminals.toolOf(terminalId) ?? "")
    if (tool === undefined || tool.result === "closed") return
    this.#output(tool, output)
    this.#tools.weigh(tool)
  }

  #output(tool: Tool, more: string | undefined): void {
    if (!more) return
    this.#closeCall(tool)
    tool.terminal.add(more)
    this.#openResult(tool)
    this.parts.sink.delta(resultKey(tool), { index: 0, type: "output" }, more)
  }

  #openResult(tool: Tool): void {
    if (tool.result !== "none") return
    tool.result = "open"
    tool.lateResult = !this.parts.turn.underWay
    const { id: call_id, parent } = tool
    const content = [{ type: "tool_result" as const, call_id, output: "" }]
    this.parts.sink.open({ key: resultKey(tool), kind: "tool_result", role: "tool", parent, content })
  }

  #finish(tool: Tool): void {
    const { sink, contents } = this.parts
    const content = resultParts(tool, contents, tool.terminal.text)
    const key = resultKey(tool)
    if (tool.result === "none") sink.open({ key, kind: "tool_result", role: "tool", parent: tool.parent, content })
    tool.result = "closed"
    sink.close(key, { status: hasFailed(tool) ? "failed" : "completed", content })
    forget(tool)
    this.#tools.weigh(tool)
  }
}

/** What the log has of its arguments, as long as that may change. Longer ones it has once they do not. */
function noteShown(tool: Tool, json: string | undefined): void {
  tool.shown = tool.input
  tool.shownJson = json !== undefined && json.length <= acpAgentLimits.shownInputChars ? json : undefined
  tool.sizes.set("shown", tool.shownJson?.length ?? 0)
}

const stateOf = ({ call, result, terminal }: Tool): string => `${call} ${result} ${terminal.length}`

const resultKey = ({ id }: Tool): string => `${id}:result`

const onlyMeta = (update: Json): boolean =>
  Object.keys(update).every((name) => ["sessionUpdate", "toolCallId", "_meta"].includes(name))
