import type { Event } from "@sandbox-agent/schema/event"
import { digitsOf, type FrameWriter } from "./frame-writer.ts"

/** How the core writes a delta. Quotes inside strings are escaped: where these stand they mean what they say. */
export const BEHIND_TIME = ',"session_id":'
export const TYPE = '"type":"'
export const DELTA = 'item.delta","data":{'
const BEFORE_TEXT = ',"delta":"'
const BEHIND_TEXT = '","part":{'
/** Places where the sequence stands in a stored frame before that: its id, the event's id, the event. */
export const NUMBERS = 3
/** Stands in for a text, as JSON. No id of ours holds it. */
const MARK = "\\u0000"
/** Parts whose deltas may come by turns in one page; those of further ones are parsed. */
const PARTS = 8
const NEWLINE = 10

/** What the deltas of one part have in common, as they are stored and as they are told. */
interface Shape {
  /** Where `head` begins, counted from the beginning of the frame, without the digits of the sequence. */
  at: number
  head: Buffer
  tail: Buffer
  /** Absent when such deltas are not told. */
  told: { before: Buffer; behind: Buffer } | undefined
}

/**
 * Most of a log is deltas, and those of one part differ in their text alone: the first is projected with a mark in
 * place of it, the others are put together around the bytes of their text, and neither parsed nor encoded.
 */
export class Deltas {
  #shapes: Shape[] = []
  #parsed = 0

  constructor(
    /** Stored frames. */
    readonly bytes: Buffer,
    readonly project: (event: Event) => readonly { json: string }[],
    readonly out: FrameWriter,
    /** So many are parsed before anything is learnt: for fewer it is not worth it. */
    readonly few = 0,
  ) {}

  /** Tells the event whose frame begins at `at`; gives where the next frame begins, -1 when the event must be parsed. */
  tell(at: number, sequence: number, pos: number): number {
    const { bytes } = this
    const shift = at + NUMBERS * digitsOf(sequence)
    for (const { at: headAt, head, tail, told } of this.#shapes) {
      const start = shift + headAt
      const text = start + head.length
      if (text >= bytes.length || bytes.compare(head, 0, head.length, start, text) !== 0) continue
      const next = bytes.indexOf(NEWLINE, text) + 2
      const end = next - tail.length
      if (end < text || bytes.compare(tail, 0, tail.length, end, next) !== 0) continue
      if (told !== undefined) this.out.spliced(pos, 0, told.before, bytes, text, end, told.behind)
      return next
    }
    return -1
  }

  /** Learns from the event of a frame how others like it are told; false when it is not a delta, or an unusual one. */
  learn(json: string, sequence: number): boolean {
    const head = json.indexOf(BEHIND_TIME)
    const type = json.indexOf(TYPE, head) + TYPE.length
    if (this.#shapes.length >= PARTS || !json.startsWith(DELTA, type) || ++this.#parsed <= this.few) return false
    const start = json.indexOf(BEFORE_TEXT, type) + BEFORE_TEXT.length
    const end = json.lastIndexOf(BEHIND_TEXT)
    if (head < 0 || start < type || end < start) return false
    const said = this.project(JSON.parse(json.slice(0, start) + MARK + json.slice(end)) as Event)
    const [before, behind, ...more] = said[0]?.json.split(MARK) ?? []
    if (said.length > 1 || more.length > 0 || (before !== undefined && behind === undefined)) return false
    this.#shapes.unshift({
      at: `id: ${sequence}\ndata: `.length + head - NUMBERS * digitsOf(sequence),
      head: Buffer.from(json.slice(head, start)),
      tail: Buffer.from(`${json.slice(end)}\n\n`),
      told:
        before === undefined
          ? undefined
          : { before: Buffer.from(`\ndata: ${before}`), behind: Buffer.from(`${behind}\n\n`) },
    })
    return true
  }
}
