import { fileURLToPath } from "node:url"
import type { ContentBlock, SessionUpdate, ToolCall, ToolCallUpdate } from "acp-http-client"
import { type DaemonMeta, daemonMetaIn } from "./daemon-meta.ts"
import { byFile, changeOfTexts } from "./file-changes.ts"
import type { Call, Entry, FileChange, Note, Transcript, Words } from "./transcript.ts"

type Chunk = Extract<SessionUpdate, { sessionUpdate: "agent_message_chunk" }>
type Content = NonNullable<ToolCallUpdate["content"]>

const kinds = { user_message_chunk: "user", agent_message_chunk: "said", agent_thought_chunk: "thought" } as const

/** What a client shows that appends chunks and replaces the fields of tool calls, as the protocol says. */
export function foldUpdates(updates: readonly SessionUpdate[]): Transcript {
  const fold = new UpdateFold()
  for (const update of updates) fold.take(update)
  return { entries: fold.entries.map((entry) => fold.placed(entry)), plan: fold.plan }
}

class UpdateFold {
  readonly entries: (Entry & { parent?: string })[] = []
  plan: Transcript["plan"]
  readonly #messages = new Map<string, Words>()
  readonly #calls = new Map<string, Call>()
  /** Calls by the item they are. */
  readonly #callOfItem = new Map<string, string>()

  take(update: SessionUpdate): void {
    const mine = daemonMetaIn(update)
    switch (update.sessionUpdate) {
      case "user_message_chunk":
      case "agent_message_chunk":
      case "agent_thought_chunk":
        return this.#chunk(kinds[update.sessionUpdate], update as Chunk, mine)
      case "tool_call":
      case "tool_call_update":
        return this.#call(update, mine)
      case "plan":
        this.plan = update.entries.map(({ content, status }) => ({ content, status }))
        return
      case "session_info_update":
        if (mine.item !== undefined && mine.item.kind !== "message") this.#note(mine.item)
        return
      default:
    }
  }

  /** Items under a call are named by the item of that call. */
  placed({ parent, ...entry }: Entry & { parent?: string }): Entry {
    return parent === undefined ? entry : { ...entry, under: this.#callOfItem.get(parent) ?? parent }
  }

  #chunk(kind: Words["kind"], { messageId, content }: Chunk, { reset, parentId }: DaemonMeta): void {
    const key = messageId ?? undefined
    let words = key === undefined ? this.#lastOf(kind) : this.#messages.get(`${kind} ${key}`)
    if (words === undefined) {
      words = { kind, text: "", attached: [] }
      this.entries.push(Object.assign(words, parentId === undefined ? {} : { parent: parentId }))
    }
    if (key !== undefined) this.#messages.set(`${kind} ${key}`, words)
    if (reset) words.text = ""
    if (content.type === "text") words.text += content.text
    else words.attached.push(attachedIn(content))
  }

  /** Chunks without an id go on with what was said last. */
  #lastOf(kind: Words["kind"]): Words | undefined {
    const last = this.entries.at(-1)
    return last?.kind === kind ? (last as Words) : undefined
  }

  #call(update: ToolCall | ToolCallUpdate, { itemId, parentId }: DaemonMeta): void {
    const { toolCallId: id, status, content, rawOutput } = update
    let call = this.#calls.get(id)
    if (call === undefined) {
      call = { kind: "call", id, status: "pending", output: "", changes: [] }
      this.#calls.set(id, call)
      this.entries.push(Object.assign(call, parentId === undefined ? {} : { parent: parentId }))
    }
    if (itemId !== undefined) this.#callOfItem.set(itemId, id)
    call.name = update.name ?? call.name
    call.status = status ?? call.status
    if (content) Object.assign(call, { output: textIn(content), changes: changesIn(content) })
    if (typeof rawOutput === "string") call.output = rawOutput
  }

  #note({ itemId, kind, parentId }: { itemId: string; kind: string; parentId?: string }): void {
    const note: Note & { parent?: string; itemId: string } = { kind: "note", of: kind, itemId }
    if (parentId !== undefined) note.parent = parentId
    const { itemId: _, ...entry } = note
    this.entries.push(entry)
  }
}

const textIn = (content: Content): string =>
  content
    .flatMap((block) => (block.type === "content" && block.content.type === "text" ? [block.content.text] : []))
    .join("\n")

const changesIn = (content: Content): FileChange[] =>
  byFile(
    content.flatMap((block) =>
      block.type === "diff" ? [changeOfTexts(block.path, block.oldText, block.newText)] : [],
    ),
  )

function attachedIn(block: ContentBlock): string {
  if (block.type === "image") return block.mimeType
  if (block.type === "resource_link") return block.uri.startsWith("file:") ? fileURLToPath(block.uri) : block.uri
  return block.type
}
