import type { ContentPart } from "@sandbox-agent/schema/item"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { record, text } from "../shared/json.ts"
import type { Calls } from "./calls.ts"
import type { Item } from "./native.ts"
import { plainText } from "./plain-text.ts"

interface RawCall {
  name: string
  arguments: unknown
  /** Items that were there when it came: one that makes items of its own is not shown beside them. */
  before: number
}

/**
 * Calls as the model made them. Most become items; those that fail before they run, and tools without items of their
 * own, do not: they are shown when their answer comes and no item has.
 */
export class RawCalls {
  readonly #open = new Map<string, RawCall>()

  constructor(private readonly calls: Calls) {}

  take(item: Item): void {
    const id = item.call_id
    if (id === undefined) return
    if (item.type === "function_call" || item.type === "custom_tool_call") this.#called(id, item)
    else if (item.type === "function_call_output" || item.type === "custom_tool_call_output") this.#answered(id, item)
  }

  /** What the model called it with, where the item does not say. */
  argumentsOf(id: string): unknown {
    return this.#open.get(id)?.arguments
  }

  clear(): void {
    this.#open.clear()
  }

  #called(id: string, { name = "unknown", namespace, arguments: given, input }: Item): void {
    const whole = namespace ? `${namespace}__${name}` : name
    this.#open.set(id, { name: whole, arguments: given ?? { input }, before: this.calls.count })
  }

  #answered(id: string, { output }: Item): void {
    const call = this.#open.get(id)
    this.#open.delete(id)
    if (call === undefined || this.calls.has(id)) return
    // The outer call of code mode: what it did is shown.
    if (call.name === "exec" && this.calls.count > call.before) return
    const said = plainText(text(output) ?? record(output).content ?? output)
    const failed = isFailure(said)
    if (call.name !== "exec_command") {
      this.calls.call(id, { name: call.name, arguments: jsonText(call.arguments) })
      return this.calls.result(id, { output: said, failed })
    }
    // As the item of a command would have it.
    const { cmd, workdir: cwd } = record(parsed(call.arguments))
    const command = text(cmd) ?? ""
    this.calls.call(id, { name: call.name, arguments: { command, cwd }, kind: "execute", title: command })
    this.calls.result(id, { output: /^Output:\n([\s\S]*)$/m.exec(said)?.[1] ?? said, failed, more: factsIn(said) })
  }
}

/** What the item of a command tells beside its output: of a fast one the answer may come without, or before it. */
function factsIn(said: string): ContentPart[] {
  const [head = ""] = said.split(/^Output:$/m, 1)
  const exitCode = /^Process exited with code (-?\d+)$/m.exec(head)?.[1]
  const seconds = /^Wall time: ([\d.]+) seconds$/m.exec(head)?.[1]
  if (exitCode === undefined) return []
  const durationMs = seconds === undefined ? {} : { durationMs: Math.round(Number(seconds) * 1_000) }
  return [{ type: "json", json: { exitCode: Number(exitCode), ...durationMs } }]
}

/** Arguments are JSON text; what a model wrote wrongly is kept as a text. */
function jsonText(given: unknown): string {
  const value = parsed(given)
  return JSON.stringify(typeof value === "object" && value !== null ? value : { input: value })
}

function parsed(given: unknown): unknown {
  if (typeof given !== "string") return given ?? {}
  try {
    return parseOfAgent(given)
  } catch {
    return given
  }
}

/** The protocol does not say whether a call failed; these are the words of its own that do. */
function isFailure(output: string): boolean {
  const code = /^Process exited with code (-?\d+)$/m.exec(output)?.[1]
  if (code !== undefined) return code !== "0"
  return /^(?:unsupported call|\S+ failed|\S+ verification failed|failed to|rejected|error|approval|you cannot|aborted|request_user_input is unavailable)/i.test(
    output,
  )
}
