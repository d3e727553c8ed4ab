import { limits } from "@sandbox-agent/schema/limits"
import type { Log } from "./log.ts"

/** Native lines with ascending numbers. */
export class RawLines {
  first = 0
  readonly lines: string[] = []

  add(n: number, line: string): void {
    if (this.lines.length === 0) this.first = n
    this.lines.push(line)
  }
}

/** A run of events of one log that waits for COMMIT, with the native lines they came from: one row. */
export interface PendingPage {
  readonly first: number
  readonly frames: string[]
  /** Number of the raw line each event came from; 0 = none. */
  readonly raws: number[]
  readonly lines: RawLines
  chars: number
}

/** What one log has to write. */
export class PendingLog {
  readonly pages: PendingPage[] = []
  /** Lines that no event followed yet: they go with the next page, or alone. */
  loose = new RawLines()
  chars = 0

  constructor(readonly log: Log) {}

  event(sequence: number, frame: string, raw: number): void {
    let page = this.pages.at(-1)
    if (page === undefined || isFull(page)) page = this.#open(sequence)
    page.frames.push(frame)
    page.raws.push(raw)
    page.chars += frame.length
    this.chars += frame.length
  }

  /** Starts a new page, so that retention can cut exactly here. */
  break(nextSequence: number): void {
    if ((this.pages.at(-1)?.frames.length ?? 0) > 0) this.#open(nextSequence)
  }

  raw(n: number, line: string): void {
    const page = this.pages.at(-1)
    // What comes of it goes to the next page, and readers look for the line there.
    const lines = page === undefined || isFull(page) ? this.loose : page.lines
    lines.add(n, line)
    this.chars += line.length
  }

  #open(first: number): PendingPage {
    const page: PendingPage = { first, frames: [], raws: [], lines: this.loose, chars: 0 }
    this.loose = new RawLines()
    this.pages.push(page)
    return page
  }
}

const isFull = ({ chars, frames }: PendingPage): boolean =>
  chars > limits.flushChars || frames.length >= limits.flushEvents
