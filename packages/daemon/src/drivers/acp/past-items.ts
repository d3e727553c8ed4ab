import type { ContentPart, DeltaPart } from "@sandbox-agent/schema/item"
import { isBrief, type PastItem } from "../../core/driver.ts"
import type { ItemEnd, NewItem, Sink } from "../../core/driver-sink.ts"
import { PastImages } from "../../core/past-images.ts"

const nothing = (): void => {}

/** Listens like the core, and keeps only what was said and done. */
export class PastItems implements Sink {
  readonly items: PastItem[] = []
  readonly #open = new Map<string, PastItem>()
  #user: { messageId: string | undefined; part: { type: "text"; text: string } } | undefined

  readonly #images = new PastImages()

  image = this.#images.image

  after<T>(work: Promise<T>, then: (value?: T) => void): void {
    void work.then(then)
  }

  line = (_: string, handle: () => void): void => handle()

  open({ key, kind, role, content = [] }: NewItem): void {
    const item: PastItem = { kind, ...(role && { role }), content: structuredClone(content) }
    this.#open.set(key, item)
    this.items.push(item)
  }

  delta(key: string, { index }: DeltaPart, more: string): void {
    const part: ContentPart | undefined = this.#open.get(key)?.content[index]
    if (part?.type === "text" || part?.type === "reasoning") part.text += more
    if (part?.type === "tool_result") part.output += more
  }

  snapshot(key: string, { index }: DeltaPart, whole: string): void {
    const part: ContentPart | undefined = this.#open.get(key)?.content[index]
    if (part?.type === "tool_call") part.arguments = whole
  }

  close(key: string, { content }: ItemEnd): void {
    const item = this.#open.get(key)
    if (item !== undefined && content !== undefined) item.content = content
    if (item !== undefined) item.blobs = this.#images.take()
    this.#open.delete(key)
  }

  userSaid(said: string, messageId: string | undefined): void {
    if (isBrief(said)) return
    if (this.#user === undefined || this.#user.messageId !== messageId) {
      const part = { type: "text" as const, text: "" }
      this.#user = { messageId, part }
      this.items.push({ kind: "message", role: "user", content: [part] })
    }
    this.#user.part.text += said
  }

  userEnded(): void {
    this.#user = undefined
  }

  passedOver = nothing
  sent = nothing
  skip = nothing
  native = nothing
  passOn = () => false
  turnStarted = nothing
  turnEnded = nothing
  taken = nothing
  briefed = nothing
  returned = nothing
  retry = nothing
  ask = nothing
  unask = nothing
  plan = nothing
  usage = nothing
  session = nothing
  status = nothing
  mcpFailed = nothing
  error = nothing
  background = nothing
  ended = nothing
  gone = nothing
}
