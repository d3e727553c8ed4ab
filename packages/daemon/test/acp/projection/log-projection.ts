import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { Fold } from "../../../src/core/fold.ts"
import type { Envelope } from "../../../src/faces/acp/projection/envelope.ts"
import { headOf, type ItemHead } from "../../../src/faces/acp/projection/head.ts"
import type { Sources } from "../../../src/faces/acp/projection/sources.ts"
import { type Traits, traitsOf } from "../../../src/faces/acp/projection/traits.ts"
import { project } from "../../../src/faces/acp/projection/updates.ts"

/** Clients that differ in what they are sent. */
export const clients: Record<string, Traits> = {
  plain: traitsOf({}),
  full: traitsOf({ elicitation: { form: {}, url: {} }, session: { notices: {} } }),
  terminal: traitsOf({ elicitation: { form: {} }, _meta: { terminal_output: true } }),
}

/** Every event of a log, each with nothing but the head of its item. */
export function projectLog(events: readonly Event[], traits: Traits, sources?: Sources): Envelope[] {
  const heads = new Map<string, ItemHead>()
  return events.flatMap((event) => {
    if (event.type === "item.started") heads.set(event.data.item.item_id, headOf(event.data.item))
    const head = event.type === "item.delta" ? heads.get(event.data.item_id) : undefined
    return project(event, head, traits, sources)
  })
}

export function foldLog(events: readonly Event[]): Item[] {
  const fold = new Fold()
  for (const event of events) fold.apply(event)
  return [...fold.items.values()].map(({ item }) => item)
}
