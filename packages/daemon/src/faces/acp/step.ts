import type { Cursor, Line } from "./entry.ts"
import { frameOf } from "./frames.ts"
import type { Projected } from "./projected.ts"

/** Messages to be given out; none where what there was is not for this stream. */
export interface Step {
  readonly last: Cursor | undefined
  readonly lines: readonly Line[]
  /** The same as SSE frames, where there are some already. */
  readonly frames?: Uint8Array
}

export const stepOf = (lines: readonly Line[]): Step => ({ lines, last: lines.at(-1) })

/** A page as all clients see it, and behind it what is said to one of them: the page is not taken apart for that. */
export function followedBy(page: Projected, own: readonly Line[]): Step {
  return {
    last: own.at(-1) ?? page.last,
    frames: own.length === 0 ? page.frames : Buffer.concat([page.frames, Buffer.from(own.map(frameOf).join(""))]),
    get lines() {
      return [...page.lines, ...own]
    },
  }
}
