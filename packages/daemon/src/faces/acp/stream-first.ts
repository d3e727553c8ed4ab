import type { Acp } from "./acp.ts"
import type { Feed } from "./feed.ts"

/**
 * An answer that goes another way must not overtake what streams tell before it. Waits until their sockets have it, but
 * not for ever: a client that takes nothing from its stream gets its answer all the same.
 */
export async function streamFirst(acp: Acp, feeds: Iterable<Feed>, has: (feed: Feed) => boolean): Promise<void> {
  const taken = [...feeds].map((feed) => feed.taken.until(() => has(feed)))
  if (taken.length === 0) return
  await within(acp.services.intervals.replayWaitMs, Promise.all(taken))
  // What a stream was given is written at the end of a turn of the loop, for an immediate perhaps the one that just
  // began. Two connections of one client are read in the order in which they got something: the answer comes second.
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Whether a promise is settled in time. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: Timer | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
