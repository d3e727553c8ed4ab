import type { Event } from "@sandbox-agent/schema/event"
import { deltaSpan, SEQUENCES_BEFORE_HEAD } from "../../core/event-text.ts"
import { headLength } from "../../store/frames.ts"
import { aroundText, digitsOf, type FrameWriter } from "./frames.ts"

/** Stands in for a text, as JSON. No id of ours holds it. */
const MARK = "\\u0000"
/** Parts whose deltas may come by turns in one page; those of further ones are parsed. */
const PARTS = 8
const NEWLINE = 10

/** What the deltas of one part have in common, as they are stored and as clients get them. */
interface Shape {
  /** Where `head` begins, counted from the beginning of the frame, without the digits of the sequence. */
  at: number
  head: Buffer
  tail: Buffer
  /** Absent when clients get none of such deltas. */
  sent: { before: Buffer; behind: Buffer } | undefined
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

  /** Writes the event whose frame begins at `at`; returns where the next frame begins, -1 when the event must be parsed. */
  write(at: number, sequence: number, pos: number): number {
    const { bytes } = this
    const shift = at + SEQUENCES_BEFORE_HEAD * digitsOf(sequence)
    for (const { at: headAt, head, tail, sent } of this.#shapes) {
      const start = shift + headAt
      const text = start + head.length
      if (text >= bytes.length || bytes.compare(head, 0, head.length, start, text) !== 0) continue
      const next = bytes.indexOf(NEWLINE, text) + 2
      const end = next - tail.length
      if (end < text || bytes.compare(tail, 0, tail.length, end, next) !== 0) continue
      if (sent !== undefined) this.out.spliced(pos, 0, sent.before, bytes, text, end, sent.behind)
      return next
    }
    return -1
  }

  /** Learns from the event of a frame how others like it are written; false when it is not a delta, or an unusual one. */
  learn(json: string, sequence: number): boolean {
    const span = this.#shapes.length >= PARTS ? undefined : deltaSpan(json)
    if (span === undefined || ++this.#parsed <= this.few) return false
    const { head, text } = span
    const said = this.project(JSON.parse(json.slice(0, text.from) + MARK + json.slice(text.to)) as Event)
    const [before, behind, ...more] = said[0]?.json.split(MARK) ?? []
    if (said.length > 1 || more.length > 0 || (before !== undefined && behind === undefined)) return false
    this.#shapes.unshift({
      at: headLength(sequence) + head - SEQUENCES_BEFORE_HEAD * digitsOf(sequence),
      head: Buffer.from(json.slice(head, text.from)),
      tail: Buffer.from(`${json.slice(text.to)}\n\n`),
      sent: before === undefined || behind === undefined ? undefined : aroundText(before, behind),
    })
    return true
  }
}
