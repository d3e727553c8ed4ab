import { resolve } from "node:path"
import type { ContentPart } from "@sandbox-agent/schema/item"
import type { ItemSink } from "../../core/driver-sink.ts"
import { imagePart } from "../shared/image-part.ts"
import { type Json, record, text } from "../shared/json.ts"
import type { PartContext } from "./blocks.ts"
import { fileRefs } from "./files.ts"
import type { ToolPart } from "./native.ts"
import { nameOf, toolCall } from "./tool-call.ts"

interface Tool {
  readonly callId: string
  input: Json
  /** Its arguments are final. */
  called: boolean
  /** Output came. */
  running: boolean
  done: boolean
  /** Its output so far; longer than OpenCode shows it comes as its end only, and is streamed no further. */
  output: string | undefined
  /** What was shown when it asked to change a file. */
  diff?: string
}

type Finished = Extract<ToolPart["state"], { status: "completed" | "error" }>

/** Calls of tools and their results, which OpenCode keeps in one part that is sent again with each change. */
export class Tools {
  /** By the id of the part. */
  readonly #tools = new Map<string, Tool>()
  /** Parts by the message and call that a request names. */
  readonly #calls = new Map<string, string>()

  constructor(
    private readonly sink: ItemSink,
    private readonly directory: string,
  ) {}

  part(part: ToolPart, { parent }: PartContext): void {
    const tool = this.#tools.get(part.id) ?? this.#begin(part, parent)
    const { state } = part
    if (tool.done || state.status === "pending") return
    if (!tool.called) {
      tool.called = true
      tool.input = record(state.input)
      this.sink.close(part.id, { status: "completed", content: [toolCall(part, tool.callId)] })
    }
    if (state.status === "running") return this.#output(part, tool, parent)
    tool.done = true
    this.#finish(part, state, tool, parent)
  }

  /** The call a request is about: its id in our words and what it was given. */
  asked(messageID: string, callID: string): { callId: string; input: Json } | undefined {
    const tool = this.#tools.get(this.#calls.get(`${messageID}/${callID}`) ?? "")
    return tool === undefined ? undefined : { callId: tool.callId, input: tool.input }
  }

  showed(messageID: string, callID: string, diff: string): void {
    const tool = this.#tools.get(this.#calls.get(`${messageID}/${callID}`) ?? "")
    if (tool !== undefined) tool.diff = diff
  }

  /** The turn is over: every call has a result by now. */
  settle(): void {
    for (const tool of this.#tools.values()) tool.done = true
  }

  forget(): void {
    this.#tools.clear()
    this.#calls.clear()
  }

  #begin(part: ToolPart, parent: string | undefined): Tool {
    // Models use an id again, in one turn too; then the part must do.
    const used = [...this.#tools.values()].some(({ callId }) => callId === part.callID)
    const callId = used ? part.id : part.callID
    const tool: Tool = { callId, input: {}, called: false, running: false, done: false, output: "" }
    this.#tools.set(part.id, tool)
    this.#calls.set(`${part.messageID}/${part.callID}`, part.id)
    const content = [{ ...toolCall(part, callId), arguments: "" }]
    this.sink.open({ key: part.id, kind: "tool_call", role: "assistant", parent, group: part.messageID, content })
    return tool
  }

  #output({ id, state }: ToolPart, tool: Tool, parent: string | undefined): void {
    const so = text(record("metadata" in state ? state.metadata : undefined).output)
    if (!so || tool.output === undefined) return
    tool.output = so.startsWith(tool.output) ? so : undefined
    if (tool.output === undefined) return
    this.#openResult(id, tool, parent)
    this.sink.snapshot(`${id}:result`, { index: 0, type: "output" }, so)
  }

  #openResult(id: string, tool: Tool, parent: string | undefined): void {
    if (tool.running) return
    tool.running = true
    const content: ContentPart[] = [{ type: "tool_result", call_id: tool.callId, output: "" }]
    this.sink.open({ key: `${id}:result`, kind: "tool_result", role: "tool", parent, content })
  }

  #finish(part: ToolPart, state: Finished, tool: Tool, parent: string | undefined): void {
    this.#openResult(part.id, tool, parent)
    const failed = hasFailed(part)
    const result: ContentPart = {
      type: "tool_result",
      call_id: tool.callId,
      output: outputOf(part, state),
      ...(failed && { is_error: true }),
    }
    const more = state.status === "completed" ? this.#more(part, state, tool) : []
    const interrupted = record(state.metadata).interrupted === true
    this.sink.close(`${part.id}:result`, {
      status: failed ? "failed" : "completed",
      content: [result, ...more],
      ...(interrupted && { reason: "cancelled" }),
    })
  }

  #more(part: ToolPart, state: Extract<Finished, { status: "completed" }>, tool: Tool): ContentPart[] {
    const files = fileRefs(part, this.directory, tool.diff)
    const [file] = files
    const read = part.tool === "read" ? file : undefined
    const pictures = (state.attachments ?? []).flatMap((attachment) => {
      const { mime, url } = attachment
      const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? []
      if (!mime.startsWith("image/") || data === undefined) return []
      return imagePart(this.sink, data, mime, read && resolve(this.directory, read.path))
    })
    return [...files, ...pictures]
  }
}

/** OpenCode reports a failed command, or a tool that does not exist, as a success. */
function hasFailed({ tool, state }: ToolPart): boolean {
  if (state.status !== "completed") return true
  const { exit } = record(state.metadata)
  return tool === "invalid" || (tool === "bash" && exit !== undefined && exit !== 0)
}

function outputOf(part: ToolPart, state: Finished): string {
  if (state.status === "error") return state.error
  if (nameOf(part) === "task")
    return /<task_result>\n?([\s\S]*?)\n?<\/task_result>/.exec(state.output)?.[1] ?? state.output
  return state.output === "(no output)" ? "" : state.output
}
