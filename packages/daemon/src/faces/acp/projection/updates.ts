import type { Event } from "@sandbox-agent/schema/event"
import type { Envelope } from "./envelope.ts"
import type { ItemHead } from "./head.ts"
import type { Sources } from "./sources.ts"
import type { Traits } from "./traits.ts"
import { projectEvent } from "./v1/event.ts"

/**
 * What one event of the log means to an ACP client: no, one or several envelopes, always the same for the same
 * arguments. No event needs another one, so a stream can start anywhere. `head` is of the item that a delta is of.
 */
export function project(event: Event, head: ItemHead | undefined, traits: Traits, sources: Sources = {}): Envelope[] {
  switch (traits.version) {
    case 1:
      return projectEvent(event, head, traits, sources)
  }
}
