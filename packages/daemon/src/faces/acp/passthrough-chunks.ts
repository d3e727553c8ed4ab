import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { deltaSpan, SEQUENCES_BEFORE_HEAD } from "../../core/event-text.ts"
import { headLength } from "../../store/frames.ts"
import type { Page } from "../../store/log.ts"
import { aroundText, digitsOf, type FrameWriter } from "./frames.ts"
import { spanOf } from "./splice.ts"

/** Where a chunk of words has its text. */
const TEXT = ["params", "update", "content", "text"]
const NEWLINE = 10
const QUOTE = 34
const BACKSLASH = 92

type Lines = NonNullable<Page["lines"]>

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
  /** How the core writes deltas of this session, and where that begins in a frame without the digits of the sequence. */
  #delta: { at: number; head: Buffer } | undefined

  /**
   * Writes the line of the delta whose frame begins at `at`; the line was not sent yet. Returns where the next frame
   * begins; -1 when it is no delta, or its line is not one of those known.
   */
  write(frames: Buffer, at: number, sequence: number, pos: number, lines: Lines, n: number, out: FrameWriter): number {
    const delta = this.#delta
    if (delta === undefined) return -1
    const start = at + SEQUENCES_BEFORE_HEAD * digitsOf(sequence) + delta.at
    const data = start + delta.head.length
    if (data >= frames.length || frames.compare(delta.head, 0, delta.head.length, start, data) !== 0) return -1
    lines.seek(n)
    for (const { head, tail, before, behind } of this.#shapes) {
      const text = lines.start + head.length
      const end = lines.end - tail.length
      if (end < text || lines.bytes.compare(head, 0, head.length, lines.start, text) !== 0) continue
      if (lines.bytes.compare(tail, 0, tail.length, end, lines.end) !== 0 || !isText(lines.bytes, text, end)) continue
      out.spliced(pos, 0, before, lines.bytes, text, end, behind)
      return frames.indexOf(NEWLINE, data) + 2
    }
    return -1
  }

  /** Learns from a delta, the line it came from and what was sent of it how others like it are written. */
  learn(json: string, sequence: number, line: string, sent: string): void {
    const span = deltaSpan(json)
    const [said, ours] = [spanOf(line, TEXT), spanOf(sent, TEXT)]
    if (span === undefined || said === undefined || ours === undefined) return
    // Anything else than the same text in its place was put together in another way.
    if (line.slice(said.from, said.to) !== sent.slice(ours.from, ours.to) || line[said.from] !== '"') return
    if (line.length - (said.to - said.from) > acpLimits.chunkFormChars) return
    this.#delta = {
      at: headLength(sequence) + span.head - SEQUENCES_BEFORE_HEAD * digitsOf(sequence),
      head: Buffer.from(json.slice(span.head, span.data)),
    }
    if (this.#shapes.length >= acpLimits.chunkForms) this.#shapes.pop()
    this.#shapes.unshift({
      head: Buffer.from(line.slice(0, said.from + 1)),
      tail: Buffer.from(line.slice(said.to - 1)),
      ...aroundText(sent.slice(0, ours.from + 1), sent.slice(ours.to - 1)),
    })
  }
}

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
