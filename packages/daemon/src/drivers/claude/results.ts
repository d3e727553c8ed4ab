import type { ContentPart } from "@sandbox-agent/schema/item"
import type { ItemSink } from "../../core/driver-sink.ts"
import { record, text } from "../shared/json.ts"
import { type Call, WaitingCalls } from "../shared/waiting-calls.ts"
import { fileRef } from "./files.ts"
import { imageIn } from "./images.ts"
import type { AssistantLine, Block, UserLine } from "./native.ts"
import type { Tasks } from "./tasks.ts"
import type { Todos } from "./todos.ts"

/** Results of tools; the line of a result does not say which tool it is of. */
export class Results {
  readonly #calls = new WaitingCalls()

  constructor(
    private readonly sink: ItemSink,
    private readonly tasks: Tasks,
    private readonly todos: Todos,
  ) {}

  called({ message, parent_tool_use_id }: AssistantLine): void {
    for (const { type, id, name, input } of message.content) {
      if (type !== "tool_use" || id === undefined) continue
      const call = { name: name ?? "unknown", input: record(input), parent: parent_tool_use_id ?? undefined }
      this.#calls.add(id, call)
      if (call.parent === undefined) this.todos.called(call)
    }
  }

  take({ message, parent_tool_use_id, tool_use_result }: UserLine): void {
    if (typeof message.content === "string") return
    for (const block of message.content) {
      if (block.type !== "tool_result" || block.tool_use_id === undefined) continue
      const call = this.#calls.take(block.tool_use_id) ?? { name: "unknown", input: {} }
      this.#result(block.tool_use_id, call, block, tool_use_result, parent_tool_use_id ?? call.parent)
    }
  }

  #result(id: string, call: Call, block: Block, structured: unknown, parent: string | undefined): void {
    const detached = this.tasks.launched(id, structured)
    if (parent === undefined && !block.is_error) this.todos.finished(call, structured)
    const result: ContentPart = {
      type: "tool_result",
      call_id: id,
      output: outputOf(call, block, structured),
      ...(block.is_error && { is_error: true }),
      ...(detached && { detached: true }),
    }
    const content = [result, ...this.#more(call, block, structured)]
    const key = `${id}:result`
    this.sink.open({ key, kind: "tool_result", role: "tool", parent, content })
    this.sink.close(key, { status: block.is_error ? "failed" : "completed", content })
  }

  #more(call: Call, block: Block, structured: unknown): ContentPart[] {
    if (block.is_error) return []
    const file = fileRef(call.name, call.input, structured)
    const blocks = Array.isArray(block.content) ? block.content : []
    const path = file?.type === "file_ref" ? file.path : undefined
    const pictures = blocks
      .filter((each) => record(each).type === "image")
      .map((each) => imageIn(each, path, this.sink))
    return [...(file ? [file] : []), ...pictures.filter((part) => part !== undefined)]
  }
}

function outputOf({ name }: Call, { content }: Block, structured: unknown): string {
  const done = record(structured)
  // What the model is told of a sub-agent's report is wrapped in advice for the model.
  if ((name === "Agent" || name === "Task") && Array.isArray(done.content)) return plain(done.content)
  const text = plain(content).replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>$/, "$1")
  return text === "(Bash completed with no output)" ? "" : text
}

function plain(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return content === undefined ? "" : JSON.stringify(content)
  return content.flatMap((block) => text(record(block).text) ?? []).join("\n")
}
