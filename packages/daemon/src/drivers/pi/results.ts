import type { ContentPart } from "@sandbox-agent/schema/item"
import type { ItemSink } from "../../core/driver-sink.ts"
import { imagePart } from "../shared/image-part.ts"
import { type Json, record, text } from "../shared/json.ts"
import { WaitingCalls } from "../shared/waiting-calls.ts"
import { absolutePath } from "./files.ts"
import type { Block, ToolLine, ToolResult } from "./native.ts"
import { fileTools, pathOf } from "./tools.ts"

type FileRef = Extract<ContentPart, { type: "file_ref" }>

const output = { index: 0, type: "output" } as const

/** What tools do, as they do it and when they are done. */
export class Results {
  readonly #calls = new WaitingCalls()
  /** Results that were begun. */
  readonly #begun = new Set<string>()

  constructor(
    private readonly sink: ItemSink,
    private readonly directory: string,
    /** What was foreseen that a call does to a file. */
    private readonly takeDiff: (call: string) => string | undefined,
  ) {}

  started({ toolCallId, toolName, args }: ToolLine): void {
    this.#calls.add(toolCallId, { name: toolName, input: record(args) })
  }

  /** Comes with all that was said so far. */
  updated({ toolCallId: id, partialResult }: ToolLine): void {
    const said = textIn(partialResult)
    if (said === "") return
    if (!this.#begun.has(id)) this.#begin(id, [{ type: "tool_result", call_id: id, output: "" }])
    this.sink.snapshot(`${id}:result`, output, said)
  }

  ended({ toolCallId: id, toolName, result, isError = false }: ToolLine): void {
    const { input } = this.#calls.take(id) ?? { input: {} }
    const said: ContentPart = {
      type: "tool_result",
      call_id: id,
      output: textIn(result),
      ...(isError && { is_error: true }),
    }
    const file = isError ? undefined : this.#file(id, toolName, input, result)
    const content = [said, ...(file ? [file] : []), ...this.#images(result, file?.path)]
    if (!this.#begun.has(id)) this.#begin(id, content)
    this.#begun.delete(id)
    this.sink.close(`${id}:result`, { status: isError ? "failed" : "completed", content })
  }

  /** What did not come to its end by now never does. */
  end(): void {
    this.#begun.clear()
  }

  #begin(id: string, content: ContentPart[]): void {
    this.#begun.add(id)
    this.sink.open({ key: `${id}:result`, kind: "tool_result", role: "tool", content })
  }

  #file(id: string, name: string, input: Json, result: ToolResult | undefined): FileRef | undefined {
    const foreseen = this.takeDiff(id)
    const named = pathOf(input)
    if (named === undefined || !(name === "read" || fileTools.includes(name))) return undefined
    const path = absolutePath(named, this.directory)
    if (name === "read") return { type: "file_ref", path, action: "read" }
    const diff = foreseen ?? text(record(result?.details).patch)
    return { type: "file_ref", path, action: name === "write" ? "write" : "patch", ...(diff && { diff }) }
  }

  #images(result: ToolResult | undefined, path: string | undefined): ContentPart[] {
    return blocksOf(result).flatMap(({ type, data, mimeType }) =>
      type === "image" && data !== undefined ? imagePart(this.sink, data, mimeType, path) : [],
    )
  }
}

const blocksOf = (result: ToolResult | undefined): readonly Block[] =>
  Array.isArray(result?.content) ? result.content : []

export const textIn = (result: ToolResult | undefined): string =>
  blocksOf(result)
    .flatMap((block) => text(block.text) ?? [])
    .join("\n")
