import { pause } from "acp-http-client"
import { abortedError } from "../errors.ts"
import type { Event } from "../types.ts"
import type { SessionRef, SessionStore } from "./session-store.ts"

export interface FollowOptions {
  /** The last event that was seen. */
  offset?: number
  signal?: AbortSignal
  /** How often it is looked, for what another program stores where the store cannot tell of it. Default: a second. */
  pollMs?: number
}

/** What is stored of a session behind a sequence, then what will be, for whoever never speaks to its daemon. */
export async function* followStored(
  store: SessionStore,
  ref: SessionRef,
  { offset = 0, signal, pollMs = 1000 }: FollowOptions = {},
): AsyncGenerator<Event, undefined> {
  let at = offset
  let wake = new AbortController()
  const off = store.onStored(({ sandbox, id }) => {
    if (sandbox === ref.sandbox && id === ref.id) wake.abort()
  })
  const onAbort = () => wake.abort()
  signal?.addEventListener("abort", onAbort)
  try {
    for (;;) {
      if (signal?.aborted) throw abortedError(`Following ${ref.id}`, signal)
      // Made before looking: what is stored meanwhile is looked for again.
      wake = new AbortController()
      const { events, hasMore } = await store.events(ref, { offset: at, limit: 1000 })
      for (const event of events) {
        at = event.sequence
        yield event
      }
      if (!hasMore && !signal?.aborted) await pause(pollMs, wake.signal)
    }
  } finally {
    off()
    signal?.removeEventListener("abort", onAbort)
  }
}
