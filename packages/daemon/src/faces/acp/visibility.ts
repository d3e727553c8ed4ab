import type { Acp } from "./acp.ts"
import type { Connection } from "./connection.ts"
import type { Line } from "./entry.ts"

/** Which messages a stream carries: all, those of no session, or those of one. */
export type Part = { kind: "all" } | { kind: "connection" } | { kind: "session"; id: string }

export const partKey = (part: Part): string => (part.kind === "session" ? `session ${part.id}` : part.kind)

/** Which messages are for the client of one stream, and in which form. */
export class Visibility {
  /** What stands here or later was said while the stream was open. */
  readonly #opened: number

  constructor(
    private readonly acp: Acp,
    private readonly connection: Connection,
    private readonly part: Part,
  ) {
    this.#opened = acp.store.nextPos
  }

  /** Messages of this session, or of none. */
  carries(session: string | undefined): boolean {
    const { part } = this
    return part.kind === "all" || (part.kind === "session" ? session === part.id : session === undefined)
  }

  /** Answers as this client gets them. */
  answers<L extends Line>(lines: readonly L[]): L[] {
    return lines.filter((line) => !this.#isLeftOut(line)).map((line) => this.#named(line))
  }

  /** The client that answered a request needs no notice that it was answered. */
  isOwnAnswer(request: string | undefined): boolean {
    return request !== undefined && this.acp.rows.answer(this.connection.uid, request) !== undefined
  }

  /** Where several clients without headers share a stream, an answer belongs to the one that got it in its body. */
  #isLeftOut(line: Line): boolean {
    const { feeds, doc } = this.connection
    // A stream too many is not yet a client too many: one that was cut off may not have been noticed to be gone.
    return this.#isInBody(line) && feeds.size > 1 && (doc.clients ?? 0) > 1
  }

  /**
   * An answer in the same chunk as the last updates would be taken before these: it has a name here, and clients that
   * heed names take it from the body, which comes after. Whoever comes back for what it missed gets it as it is.
   */
  #named<L extends Line>(line: L): L {
    return this.#isInBody(line) && line.pos >= this.#opened ? { ...line, event: "answer" } : line
  }

  #isInBody({ call }: Line): boolean {
    return call !== undefined && this.connection.inBody.has(call)
  }
}
