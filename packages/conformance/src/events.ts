import type { Event, EventType } from "@sandbox-agent/schema/event"
import type { ContentPart, Item } from "@sandbox-agent/schema/item"

type Of<T extends EventType> = Extract<Event, { type: T }>
export const only = <T extends EventType>(events: readonly Event[], type: T): Of<T>[] =>
  events.filter((event): event is Of<T> => event.type === type)

/** The items a run of events completed. */
export const itemsOf = (events: readonly Event[]): Item[] => only(events, "item.completed").map(({ data }) => data.item)

type Part<T extends ContentPart["type"]> = Extract<ContentPart, { type: T }>
export const partsOf = <T extends ContentPart["type"]>(items: readonly Item[], type: T): Part<T>[] =>
  items.flatMap(({ content }) => content.filter((part): part is Part<T> => part.type === type))

/** What the assistant said. */
export const textOf = (items: readonly Item[]): string =>
  partsOf(
    items.filter(({ role }) => role === "assistant"),
    "text",
  )
    .map(({ text }) => text)
    .join("")

/** The name of each call and its output, joined by the call's id. */
export function resultsOf(items: readonly Item[]): [call: string, output: string | undefined][] {
  const outputs = partsOf(items, "tool_result")
  return partsOf(items, "tool_call").map((call) => [
    call.name,
    outputs.find(({ call_id }) => call_id === call.call_id)?.output,
  ])
}

export const stopOf = (events: readonly Event[]): string | undefined =>
  only(events, "turn.ended").at(-1)?.data.stop_reason
