import type { Page } from "../../store/log.ts"
import { BEHIND_TIME, DELTA, NUMBERS, TYPE } from "./deltas.ts"
import { digitsOf, type FrameWriter } from "./frame-writer.ts"
import { spanOf } from "./splice.ts"

/** Where a chunk of words has its text. */
const TEXT = ["params", "update", "content", "text"]
const NEWLINE = 10
const QUOTE = 34
const BACKSLASH = 92
/** Kinds of chunks that may come by turns; those of further ones are parsed. */
const SHAPES = 8
/** What stands around a text and is longer than this is not kept. */
const LONGEST = 16 * 1024

type Lines = NonNullable<Page["lines"]>

/** What chunks of one message have in common, as the agent writes them and as its clients are told. */
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
   * Tells the delta whose frame begins at `at` by its line, which nobody was told of yet. Gives where the next frame
   * begins; -1 when it is no delta, or its line is not one of those known.
   */
  tell(frames: Buffer, at: number, sequence: number, pos: number, lines: Lines, n: number, out: FrameWriter): number {
    const delta = this.#delta
    if (delta === undefined) return -1
    const start = at + NUMBERS * digitsOf(sequence) + delta.at
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

  /** Learns from a delta, the line it came from and what was told of it how others like it are told. */
  learn(json: string, sequence: number, line: string, sent: string): void {
    const head = json.indexOf(BEHIND_TIME)
    const type = json.indexOf(TYPE, head) + TYPE.length
    const [said, ours] = [spanOf(line, TEXT), spanOf(sent, TEXT)]
    if (head < 0 || !json.startsWith(DELTA, type) || said === undefined || ours === undefined) return
    // Anything else than the same text in its place was put together in another way.
    if (line.slice(said.from, said.to) !== sent.slice(ours.from, ours.to) || line[said.from] !== '"') return
    if (line.length - (said.to - said.from) > LONGEST) return
    this.#delta = {
      at: `id: ${sequence}\ndata: `.length + head - NUMBERS * digitsOf(sequence),
      head: Buffer.from(json.slice(head, type + DELTA.length)),
    }
    if (this.#shapes.length >= SHAPES) this.#shapes.pop()
    this.#shapes.unshift({
      head: Buffer.from(line.slice(0, said.from + 1)),
      tail: Buffer.from(line.slice(said.to - 1)),
      before: Buffer.from(`\ndata: ${sent.slice(0, ours.from + 1)}`),
      behind: Buffer.from(`${sent.slice(ours.to - 1)}\n\n`),
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
