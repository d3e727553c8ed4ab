import { limits } from "@sandbox-agent/schema/limits"
import type { Run } from "../../store/reader.ts"
import type { Release } from "../../store/shared-pages.ts"
import { nameOf, pagesInProgress } from "../http/pages-in-progress.ts"
import type { Source } from "../http/reading.ts"
import type { Feed } from "./feed.ts"
import { frameOf } from "./frames.ts"
import type { Step } from "./step.ts"

/** Small pages are given out together, up to what is never cut; larger ones are shared with other streams as they are. */
const JOINED = limits.leastSliceBytes

const nothing = new Uint8Array(0)
const framesOf = (step: Step): Uint8Array => step.frames ?? Buffer.from(step.lines.map(frameOf).join(""))

/**
 * A feed as a stream of events takes it: in runs of frames, which are numbered. Of a long one that its reader is in the
 * middle of it has a name and a checksum: the bytes are in the room of all readers, or are made again.
 */
export class StreamRuns implements NonNullable<Source<Feed>["reader"]> {
  /** The number of the last run. */
  #last = 0
  #long: { name: string; sum: bigint } | undefined

  hasMore(feed: Feed, cursor: number): boolean {
    return cursor < this.#last || feed.hasMore()
  }

  next(feed: Feed, cursor: number): Run | undefined {
    const bytes = cursor < this.#last ? this.#again(feed) : this.#more(feed)
    return bytes && { first: this.#last, last: this.#last, bytes }
  }

  hold(_feed: Feed, _cursor: number, { bytes }: Run): Release | undefined {
    const name = nameOf(bytes)
    this.#long = { name, sum: this.#long?.sum ?? Bun.hash.wyhash(bytes) }
    return pagesInProgress.hold(name, bytes, bytes.length)
  }

  #more(feed: Feed): Uint8Array | undefined {
    feed.taken.asked()
    const parts: Uint8Array[] = []
    for (let size = 0; size < JOINED; size += parts.at(-1)?.length ?? 0) {
      const step = feed.step()
      if (step === undefined) break
      const frames = framesOf(step)
      // What may be cut has a run of its own: one step makes it again.
      if (parts.length > 0 && size + frames.length > JOINED) {
        feed.back()
        break
      }
      parts.push(frames)
      // What is not for this stream takes its time as well.
      if (step.last === undefined) break
    }
    feed.taken.answered(parts.length > 0)
    if (parts.length === 0) return undefined
    this.#last++
    this.#long = undefined
    return parts.length === 1 ? parts[0] : Buffer.concat(parts)
  }

  /** The same bytes once more. Should they have become others the stream ends, and its client goes on by its cursor. */
  #again(feed: Feed): Uint8Array | undefined {
    const held = this.#long && pagesInProgress.held<Uint8Array>(this.#long.name)
    if (held !== undefined) return held
    feed.back()
    const step = feed.step()
    const frames = step === undefined ? nothing : framesOf(step)
    if (Bun.hash.wyhash(frames) === this.#long?.sum) return frames
    feed.end()
    return undefined
  }
}
