import type { Event } from "../types.ts"

/** When something of a session began and ended, and the events that say so. What is not loaded, or not over, is absent. */
export interface Span {
  from?: number
  startedAt?: string
  to?: number
  endedAt?: string
}

/** Of items, turns, permissions and questions, by their ids. */
export class Spans {
  readonly #spans = new Map<string, Span>()

  get(id: string): Span | undefined {
    return this.#spans.get(id)
  }

  apply(event: Event): void {
    switch (event.type) {
      case "item.started":
        return this.#begin(event.data.item.item_id, event)
      case "item.completed":
        return this.#end(event.data.item.item_id, event)
      case "turn.started":
        return this.#begin(event.data.turn_id, event)
      case "turn.ended":
        return this.#end(event.data.turn_id, event)
      case "permission.requested":
        return this.#begin(event.data.permission_id, event)
      case "permission.resolved":
        return this.#end(event.data.permission_id, event)
      case "question.requested":
        return this.#begin(event.data.question_id, event)
      case "question.resolved":
        return this.#end(event.data.question_id, event)
      default:
    }
  }

  /** Those of the stretch in front of this one. */
  prepend(older: Spans): void {
    for (const [id, span] of older.#spans) this.#spans.set(id, { ...span, ...this.#spans.get(id) })
  }

  #begin(id: string, { sequence, time }: Event): void {
    this.#spans.set(id, { from: sequence, startedAt: time })
  }
  #end(id: string, { sequence, time }: Event): void {
    this.#spans.set(id, { ...this.#spans.get(id), to: sequence, endedAt: time })
  }
}
