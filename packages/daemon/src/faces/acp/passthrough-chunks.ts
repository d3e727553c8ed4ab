import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { headSpan, SEQUENCES_BEFORE_HEAD, typeText } from "../../core/event-text.ts"
import { headLength } from "../../store/frames.ts"
import type { Page } from "../../store/log.ts"
import { aroundText, digitsOf, type FrameWriter } from "./frames.ts"
import { spanOf } from "./splice.ts"

/** Where a chunk of words has its text. */
const TEXT = ["params", "update", "content", "text"]
const DELTA = Buffer.from(typeText("item.delta"))
const STARTED = Buffer.from(typeText("item.started"))
/** Items that a line of words says nothing of. */
const OTHER_ITEM = /"kind":"tool_|"role":"user"/
const NEWLINE = 10
const QUOTE = 34
const BACKSLASH = 92

type Lines = NonNullable<Page["lines"]>

/** The native line of an event. */
export interface ChunkLine {
  readonly lines: Lines
  /** Its number among them. */
  readonly n: number
  /** The place of its event in the order of all logs. */
  readonly pos: number
  /** With an event before this one. */
  readonly sent: boolean
}

/** What chunks of one message have in common, as the agent writes them and as its clients get them. */
interface Shape {
  head: Buffer
  tail: Buffer
  before: Buffer
  behind: Buffer
}

/**
 * Most of what an agent says is chunks of text, and those of one message differ in their text alone. The first is read
 * and given our ids; the others are the same bytes around another text, and are neither parsed nor decoded.
 */
export class PassthroughChunks {
  #shapes: Shape[] = []
  /** What the events of this session have in common, and where that begins in a frame without the digits of the sequence. */
  #head: { at: number; bytes: Buffer } | undefined

  /**
   * Writes the line of the event whose frame begins at `at`, unless it was sent already. Returns where the next frame
   * begins; -1 when the event is neither a delta nor the begin of its item, or its line is not one of those known.
   */
  write(frames: Buffer, at: number, sequence: number, line: ChunkLine, out: FrameWriter): number {
    const head = this.#head
    if (head === undefined) return -1
    const start = at + SEQUENCES_BEFORE_HEAD * digitsOf(sequence) + head.at
    const type = start + head.bytes.length
    if (!isAt(frames, start, head.bytes)) return -1
    const isDelta = isAt(frames, type, DELTA)
    if (!isDelta && !isAt(frames, type, STARTED)) return -1
    const next = frames.indexOf(NEWLINE, type) + 2
    if (line.sent) return isDelta ? next : -1
    if (!isDelta && OTHER_ITEM.test(frames.toString("latin1", type, next))) return -1
    return this.#splice(line, out) ? next : -1
  }

  #splice({ lines, n, pos }: ChunkLine, out: FrameWriter): boolean {
    lines.seek(n)
    for (const { head, tail, before, behind } of this.#shapes) {
      const text = lines.start + head.length
      const end = lines.end - tail.length
      if (end < text || !isAt(lines.bytes, lines.start, head) || !isAt(lines.bytes, end, tail)) continue
      if (!isText(lines.bytes, text, end)) continue
      out.spliced(pos, 0, before, lines.bytes, text, end, behind)
      return true
    }
    return false
  }

  /** Learns from an event, the line it came from and what was sent of it how others like it are written. */
  learn(json: string, sequence: number, line: string, sent: string): void {
    const span = headSpan(json)
    const [said, ours] = [spanOf(line, TEXT), spanOf(sent, TEXT)]
    if (span === undefined || said === undefined || ours === undefined) return
    // Anything else than the same text in its place was put together in another way.
    if (line.slice(said.from, said.to) !== sent.slice(ours.from, ours.to) || line[said.from] !== '"') return
    if (line.length - (said.to - said.from) > acpLimits.chunkFormChars) return
    this.#head = {
      at: headLength(sequence) + span.from - SEQUENCES_BEFORE_HEAD * digitsOf(sequence),
      bytes: Buffer.from(json.slice(span.from, span.type)),
    }
    if (this.#shapes.length >= acpLimits.chunkForms) this.#shapes.pop()
    this.#shapes.unshift({
      head: Buffer.from(line.slice(0, said.from + 1)),
      tail: Buffer.from(line.slice(said.to - 1)),
      ...aroundText(sent.slice(0, ours.from + 1), sent.slice(ours.to - 1)),
    })
  }
}

const isAt = (bytes: Buffer, at: number, part: Buffer): boolean =>
  at + part.length <= bytes.length && bytes.compare(part, 0, part.length, at, at + part.length) === 0

/** Whether the quote at `end` is the first that ends the text from `start` on. */
function isText(bytes: Buffer, start: number, end: number): boolean {
  for (let quote = bytes.indexOf(QUOTE, start); quote <= end; quote = bytes.indexOf(QUOTE, quote + 1)) {
    // One with an odd number of backslashes before it stands inside the text.
    let before = quote
    while (before > start && bytes[before - 1] === BACKSLASH) before--
    if ((quote - before) % 2 === 0) return quote === end
  }
  return false
}
