import type { Event, EventOf, EventType } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"

/** The completed items of these events, in order. */
export const itemsOf = (events: readonly Event[]): Item[] =>
  events.flatMap((event) => (event.type === "item.completed" ? [event.data.item] : []))

/** What the assistant said, all blocks together. */
export const textOf = (events: readonly Event[]): string =>
  itemsOf(events)
    .filter((item) => item.role === "assistant")
    .flatMap((item) => item.content.map((part) => (part.type === "text" ? part.text : "")))
    .join("")

/** The output of each tool result. */
export const outputOf = (events: readonly Event[]): string[] =>
  itemsOf(events).flatMap((item) => item.content.flatMap((part) => (part.type === "tool_result" ? [part.output] : [])))

export const ofType = <T extends EventType>(events: readonly Event[], type: T): EventOf<T>[] =>
  events.filter((event) => event.type === type) as EventOf<T>[]
