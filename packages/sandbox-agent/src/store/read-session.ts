import type { Rest } from "../api/rest.ts"
import type { EventStream } from "../http/event-stream.ts"
import { offsetAfterLoss } from "../lost-events.ts"
import type { Event, SessionInfo } from "../types.ts"
import { type BlobKeeper, namesBlobs } from "./blob-keeper.ts"
import type { Lease, SessionStore } from "./session-store.ts"
import type { Writer } from "./writer.ts"

/** How long a session may say nothing before it is asked whether it rests; twice as long each time. */
const quietMs = 500
const longestQuietMs = 15_000

interface Reading {
  id: string
  store: SessionStore
  lease: Lease
  api: Rest
  writer: Writer
  blobs: BlobKeeper
  signal: AbortSignal
  /** Others wait to be read: one that says nothing makes room. */
  isWaitedFor(): boolean
}

/** Nothing happens in it unless somebody begins something, which the daemon tells. */
export const isResting = ({ status, queue }: SessionInfo): boolean =>
  (status === "idle" || status === "ended") && queue.length === 0

interface ReadPosition {
  uid: string
  createdAt: string
  /** The last event that was read. */
  at: number
}

/** Brings the events of a session into the store, until it rests and all are there. False: it is to be read on when others were. */
export async function readSession(reading: Reading): Promise<boolean> {
  const { id, store, lease, api, writer, signal } = reading
  for (;;) {
    await writer.written()
    const info = await api.getSession(id, { signal })
    const [opened] = await store.open(lease, [info])
    if (opened === undefined || (isResting(info) && opened.lastSequence >= info.lastSequence)) return true
    const position: ReadPosition = { uid: opened.uid, createdAt: info.createdAt, at: opened.lastSequence }
    const stream = api.streamEvents(id, { offset: position.at, signal })
    try {
      if ((await readStream(reading, stream, position)) === "leave") return false
    } catch (error) {
      // The daemon has no more what was never read.
      const after = offsetAfterLoss(error)
      if (after === undefined || after <= position.at) throw error
      await writer.lose(position.uid, { from: position.at + 1, to: after })
    } finally {
      await stream.return()
    }
  }
}

/** To where the session rests, or is another one of the same name; or, when others wait, to where it says nothing. */
async function readStream(
  reading: Reading,
  stream: EventStream<Event>,
  position: ReadPosition,
): Promise<"look" | "leave"> {
  const { id, api, writer, blobs, signal, isWaitedFor } = reading
  let quiet = quietMs
  let next = stream.next()
  for (;;) {
    const come = await within(next, quiet)
    if (come === "quiet") {
      const info = await api.getSession(id, { signal })
      if (info.createdAt !== position.createdAt || (isResting(info) && info.lastSequence <= position.at)) return "look"
      if (isWaitedFor()) return "leave"
      quiet = Math.min(2 * quiet, longestQuietMs)
      continue
    }
    if (come.done) return "look"
    quiet = quietMs
    position.at = come.value.sequence
    if (namesBlobs(come.value)) await blobs.keep({ id, uid: position.uid, event: come.value, signal })
    await writer.push(position.uid, come.value)
    next = stream.next()
  }
}

function within<T>(work: Promise<T>, ms: number): Promise<T | "quiet"> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve("quiet"), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
