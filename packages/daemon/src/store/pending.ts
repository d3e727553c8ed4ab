import { limits } from "@sandbox-agent/schema/limits"
import type { Log } from "./log.ts"

/** A run of events of one log that waits for COMMIT. */
export interface PendingPage {
  first: number
  frames: string[]
  /** Number of the raw line each event came from; 0 = none. */
  raws: number[]
  chars: number
}

/** What one log has to write: pages of events and its raw lines. */
export class PendingLog {
  readonly pages: PendingPage[] = []
  rawFirst = 0
  readonly rawLines: string[] = []
  chars = 0

  constructor(readonly log: Log) {}

  event(sequence: number, frame: string, raw: number): void {
    let page = this.pages.at(-1)
    if (page === undefined || page.chars > limits.flushChars || page.frames.length >= limits.flushEvents)
      page = this.open(sequence)
    page.frames.push(frame)
    page.raws.push(raw)
    page.chars += frame.length
    this.chars += frame.length
  }

  /** Starts a new page, so that retention can cut exactly here. */
  break(nextSequence: number): void {
    if ((this.pages.at(-1)?.frames.length ?? 0) > 0) this.open(nextSequence)
  }

  raw(n: number, line: string): void {
    if (this.rawLines.length === 0) this.rawFirst = n
    this.rawLines.push(line)
    this.chars += line.length
  }

  private open(first: number): PendingPage {
    const page: PendingPage = { first, frames: [], raws: [], chars: 0 }
    this.pages.push(page)
    return page
  }
}
