/**
 * The form of a message on a stream: `id: pos.k`, perhaps its name, `data: json` and an empty line. JSON holds no bare newline.
 */
import type { Cursor, Line } from "./entry.ts"

const ID = "id: "
const DATA = "data: "

const START = 64 * 1024
/** Memory beyond this is not kept for the next page. */
const REUSED_BYTES = 1024 * 1024
const ZERO = 48
const decoder = new TextDecoder()

export const cursorText = ({ pos, k }: Cursor): string => `${pos}.${k}`

export const frameOf = (line: Line): string =>
  `${ID}${cursorText(line)}\n${line.event === undefined ? "" : `event: ${line.event}\n`}${DATA}${line.json}\n\n`

/** The messages of frames without names, as a `FrameWriter` writes them. */
export function linesIn(frames: Uint8Array): Line[] {
  const texts = decoder.decode(frames).split("\n")
  const lines: Line[] = []
  for (let i = 0; i + 2 < texts.length; i += 3) {
    const [pos = 0, k = 0] = (texts[i] as string).slice(ID.length).split(".").map(Number)
    lines.push({ pos, k, json: (texts[i + 1] as string).slice(DATA.length) })
  }
  return lines
}

/** Puts SSE frames together in one stretch of memory that is used again: nothing is left behind for each of them. */
export class FrameWriter {
  last: Cursor | undefined
  #out = Buffer.allocUnsafe(START)
  #at = 0

  frame(pos: number, k: number, json: string): void {
    this.#begin(pos, k)
    this.#ascii("\n")
    this.#ascii(DATA)
    this.#reserve(json.length * 3)
    this.#at += this.#out.write(json, this.#at)
    this.#ascii("\n\n")
  }

  /** A frame around a piece of other bytes; `before` and `behind` are of `aroundText`. */
  spliced(
    pos: number,
    k: number,
    before: Uint8Array,
    of: Buffer,
    start: number,
    end: number,
    behind: Uint8Array,
  ): void {
    this.#begin(pos, k)
    this.#reserve(before.length + end - start + behind.length)
    this.#out.set(before, this.#at)
    this.#at += before.length
    this.#at += of.copy(this.#out, this.#at, start, end)
    this.#out.set(behind, this.#at)
    this.#at += behind.length
  }

  /** Begins anew, whatever became of what was written before. */
  reset(): void {
    this.last = undefined
    this.#at = 0
    if (this.#out.length > REUSED_BYTES) this.#out = Buffer.allocUnsafe(START)
  }

  /** All that was written, in memory of its own. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#out.subarray(0, this.#at))
  }

  #begin(pos: number, k: number): void {
    this.last = { pos, k }
    this.#ascii(ID)
    this.#number(pos)
    this.#ascii(".")
    this.#number(k)
  }

  #ascii(text: string): void {
    this.#reserve(text.length)
    for (let i = 0; i < text.length; i++) this.#out[this.#at++] = text.charCodeAt(i)
  }

  #number(value: number): void {
    const digits = digitsOf(value)
    this.#reserve(digits)
    this.#at += digits
    for (let i = this.#at - 1, rest = value; i >= this.#at - digits; i--, rest = Math.floor(rest / 10))
      this.#out[i] = ZERO + (rest % 10)
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#out.length) return
    const grown = Buffer.allocUnsafe(Math.max(this.#out.length * 2, this.#at + bytes))
    this.#out.copy(grown, 0, 0, this.#at)
    this.#out = grown
  }
}

export function digitsOf(value: number): number {
  let digits = 1
  for (let bound = 10; bound <= value; bound *= 10) digits++
  return digits
}

/** What stands in a frame, behind its id, before and after a text that is put into its JSON. */
export const aroundText = (before: string, behind: string): { before: Buffer; behind: Buffer } => ({
  before: Buffer.from(`\n${DATA}${before}`),
  behind: Buffer.from(`${behind}\n\n`),
})
