import type { Event, EventData } from "@sandbox-agent/schema/event"
import type { ContentPart, Item } from "@sandbox-agent/schema/item"
import type { Permission, Question } from "@sandbox-agent/schema/request"

export interface FoldedItem {
  startedSeq: number
  completedSeq?: number
  item: Item
}
export interface FoldedTurn {
  startedSeq: number
  endedSeq?: number
  started: EventData<"turn.started">
  ended?: EventData<"turn.ended">
}

/**
 * The state a log amounts to. State rows are a cache of it: recovery uses this where rows are not enough (the text of
 * open items), and a test compares the two.
 */
export class Fold {
  readonly items = new Map<string, FoldedItem>()
  readonly turns = new Map<string, FoldedTurn>()
  readonly requests = new Map<string, Permission | Question>()
  readonly messages = new Map<string, EventData<"message.updated">>()
  lastSequence = 0

  apply(event: Event): void {
    this.lastSequence = event.sequence
    switch (event.type) {
      case "item.started":
        this.items.set(event.data.item.item_id, { startedSeq: event.sequence, item: structuredClone(event.data.item) })
        return
      case "item.delta":
        return this.#delta(event.data)
      case "item.completed": {
        const known = this.items.get(event.data.item.item_id)
        if (known !== undefined) Object.assign(known, { completedSeq: event.sequence, item: event.data.item })
        return
      }
      case "turn.started":
        this.turns.set(event.data.turn_id, { startedSeq: event.sequence, started: event.data })
        return
      case "turn.ended": {
        const turn = this.turns.get(event.data.turn_id)
        if (turn !== undefined) Object.assign(turn, { endedSeq: event.sequence, ended: event.data })
        return
      }
      case "permission.requested":
      case "permission.resolved":
        this.requests.set(event.data.permission_id, event.data)
        return
      case "question.requested":
      case "question.resolved":
        this.requests.set(event.data.question_id, event.data)
        return
      case "message.updated":
        this.messages.set(event.data.message_id, event.data)
    }
  }

  #delta({ item_id, part, delta, reset }: EventData<"item.delta">): void {
    const item = this.items.get(item_id)?.item
    if (item === undefined) return
    const { content, native_item_id } = item
    const had = content[part.index]
    const grown = (text: string) => (reset ? delta : text + delta)
    if (had === undefined) content[part.index] = fresh(part.type, native_item_id ?? item_id, delta)
    else if (had.type === "text" || had.type === "reasoning") had.text = grown(had.text)
    else if (had.type === "tool_call") had.arguments = grown(had.arguments)
    else if (had.type === "tool_result") had.output = grown(had.output)
  }
}

function fresh(type: EventData<"item.delta">["part"]["type"], id: string, text: string): ContentPart {
  if (type === "reasoning") return { type, text, visibility: "private" }
  if (type === "output") return { type: "tool_result", call_id: id, output: text }
  if (type === "arguments") return { type: "tool_call", name: "unknown", arguments: text, call_id: id }
  return { type: "text", text }
}
