import type { Item } from "@sandbox-agent/schema/item"
import type { Envelope } from "./envelope.ts"
import type { Sources } from "./sources.ts"
import type { Traits } from "./traits.ts"
import { replayItem } from "./v1/item.ts"

/**
 * The transcript for `session/load`: every folded item once, in order, under the ids that live updates use. An open
 * item is told as far as it has come, and what streams in later goes on from there. Items do not need each other, so a
 * long transcript can be given in slices.
 */
export function replay(items: readonly Item[], traits: Traits, sessionId: string, sources: Sources = {}): Envelope[] {
  switch (traits.version) {
    case 1:
      return items.flatMap((item) => replayItem(item, { sessionId, traits, sources }))
  }
}
