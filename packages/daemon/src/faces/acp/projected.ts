import type { EventData } from "@sandbox-agent/schema/event"
import type { Page } from "../../store/log.ts"
import type { Cursor, Line } from "./entry.ts"
import { cursorText, linesIn } from "./frames.ts"
import type { PromptAnswer } from "./projection/stop.ts"

/** An event at which prompts may be answered: each connection looks for calls of its own. */
export interface Join {
  seq: number
  pos: number
  /** The number the first answer gets. */
  k: number
  /** The native line it came from; 0 = none. */
  raw: number
  /** The answers it means, once somebody asked for them: they are the same for all. */
  answers?: readonly FinalAnswer[]
  event: { type: "turn.ended"; data: EventData<"turn.ended"> } | { type: "message.updated"; data: Final }
}
export interface FinalAnswer {
  messageId: string
  answer: PromptAnswer
}

type Final = EventData<"message.updated">

/** A page of a session's log as clients with the same traits see it, as SSE frames: made once for all of them. */
export class Projected {
  /** What it is counted as while it is kept: also a page without any message for clients takes room. */
  readonly size: number
  readonly #seqOfPos: number
  #lines: (Line & { seq: number })[] | undefined

  constructor(
    { first, pos, bytes }: Page,
    readonly frames: Uint8Array,
    /** The last message in it. */
    readonly last: Cursor | undefined,
    readonly joins: readonly Join[],
    /** By the place of a message the request it takes back: it is not for the client that answered that. */
    readonly cancels: ReadonlyMap<string, string>,
  ) {
    this.size = bytes.length + frames.length
    this.#seqOfPos = first - pos
  }

  /** The messages one by one, for clients that do not get all of them, or not as frames. */
  get lines(): readonly (Line & { seq: number })[] {
    this.#lines ??= this.#split()
    return this.#lines
  }

  #split(): (Line & { seq: number })[] {
    const { cancels } = this
    return linesIn(this.frames).map((line) => ({
      ...line,
      seq: line.pos + this.#seqOfPos,
      cancels: cancels.get(cursorText(line)),
    }))
  }
}
