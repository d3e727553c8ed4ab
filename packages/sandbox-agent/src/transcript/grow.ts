import type { ContentPart, EventOf, Item } from "../types.ts"

export type Delta = EventOf<"item.delta">["data"]

/** The item with a delta in it. Everything that does not change is the same object as before. */
export function grown(item: Item, { item_id, part, delta, reset }: Delta): Item {
  const content = item.content.slice()
  const had = content[part.index]
  const text = (before: string) => (reset ? delta : before + delta)
  if (had === undefined) content[part.index] = fresh(part.type, item.native_item_id ?? item_id, delta)
  else if (had.type === "text" || had.type === "reasoning") content[part.index] = { ...had, text: text(had.text) }
  else if (had.type === "tool_call") content[part.index] = { ...had, arguments: text(had.arguments) }
  else if (had.type === "tool_result") content[part.index] = { ...had, output: text(had.output) }
  return { ...item, content }
}

function fresh(type: Delta["part"]["type"], id: string, text: string): ContentPart {
  if (type === "reasoning") return { type, text, visibility: "private" }
  if (type === "output") return { type: "tool_result", call_id: id, output: text }
  if (type === "arguments") return { type: "tool_call", name: "unknown", arguments: text, call_id: id }
  return { type: "text", text }
}

/** Deltas of an item whose beginning is not loaded, one for each part: what they add up to. */
export class Tail {
  readonly #parts = new Map<number, Delta>()

  add(delta: Delta): void {
    const had = this.#parts.get(delta.part.index)
    const joined = had === undefined || delta.reset ? delta : { ...had, delta: had.delta + delta.delta }
    this.#parts.set(delta.part.index, joined)
  }

  /** Behind this one. */
  follow(newer: Tail): void {
    for (const delta of newer.#parts.values()) this.add(delta)
  }

  over(item: Item): Item {
    return [...this.#parts.values()].reduce(grown, item)
  }
}
