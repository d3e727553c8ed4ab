import type { Event, EventOf, Item, PlanEntry } from "../types.ts"
import { grown, Tail } from "./grow.ts"
import { Spans } from "./spans.ts"

export interface TranscriptTurn {
  turn_id: string
  message_ids: readonly string[]
  /** Absent while it runs. */
  ended?: EventOf<"turn.ended">["data"]
}

/** What a stretch of a log amounts to: the items and turns that begin in it. Grows at its end by events, at its beginning by older stretches. */
export class Fold {
  plan: readonly PlanEntry[] | undefined
  readonly spans = new Spans()
  #items: Item[] = []
  readonly #places = new Map<string, number>()
  /** The place of the first item; places of older ones are below it. */
  #first = 0
  #turns: TranscriptTurn[] = []
  /** Nothing older is to come: what is not here has been dropped from the log. */
  #isWhole = false
  /** Of items that began before this stretch. */
  readonly #completed = new Map<string, Item>()
  readonly #tails = new Map<string, Tail>()
  readonly #endings = new Map<string, EventOf<"turn.ended">["data"]>()

  get items(): readonly Item[] {
    return this.#items
  }
  get turns(): readonly TranscriptTurn[] {
    return this.#turns
  }
  /** Something is being said whose beginning is not here. */
  get lacksBeginning(): boolean {
    return this.#tails.size > 0
  }

  /** Takes as long however much there is already. */
  apply(event: Event): void {
    this.spans.apply(event)
    switch (event.type) {
      case "item.started":
        return this.#start(event.data.item)
      case "item.delta": {
        const place = this.#places.get(event.data.item_id)
        if (place !== undefined) return this.#put(place, grown(this.#at(place), event.data))
        if (this.#isWhole) return
        const tail = this.#tails.get(event.data.item_id) ?? new Tail()
        tail.add(event.data)
        this.#tails.set(event.data.item_id, tail)
        return
      }
      case "item.completed": {
        const { item } = event.data
        const place = this.#places.get(item.item_id)
        if (place !== undefined) return this.#put(place, item)
        if (this.#isWhole) return this.#start(item)
        this.#tails.delete(item.item_id)
        this.#completed.set(item.item_id, item)
        return
      }
      case "turn.started":
        this.#turns.push({ turn_id: event.data.turn_id, message_ids: event.data.message_ids })
        return
      case "turn.ended":
        return this.#endTurn(event.data)
      case "plan.updated":
        this.plan = event.data.entries
        return
      default:
    }
  }

  /** The stretch in front of this one. */
  prepend(older: Fold): void {
    this.spans.prepend(older.spans)
    const items = older.#items.map((item) => {
      const { item_id: id } = item
      const now = this.#completed.get(id) ?? this.#tails.get(id)?.over(item) ?? item
      this.#completed.delete(id)
      this.#tails.delete(id)
      return now
    })
    this.#first -= items.length
    items.forEach((item, at) => {
      this.#places.set(item.item_id, this.#first + at)
    })
    this.#items = [...items, ...this.#items]
    for (const [id, tail] of older.#tails) {
      if (this.#completed.has(id)) continue
      const newer = this.#tails.get(id)
      if (newer !== undefined) tail.follow(newer)
      this.#tails.set(id, tail)
    }
    for (const [id, item] of older.#completed) this.#completed.set(id, item)
    this.#turns = [...older.#turns.map((turn) => this.#withEnding(turn)), ...this.#turns]
    for (const [id, ending] of older.#endings) this.#endings.set(id, ending)
    this.plan ??= older.plan
  }

  /**
   * There is nothing older: what began before all that is kept stands first. `all` are the items as the daemon has them, where parts of the
   * log are lost: their order, and those that are not here.
   */
  begin(all: readonly Item[] = []): void {
    const known = new Map([...this.#completed, ...this.#items.map((item) => [item.item_id, item] as const)])
    const listed = all.map((item) => known.get(item.item_id) ?? item)
    for (const { item_id: id } of all) known.delete(id)
    this.#completed.clear()
    this.#tails.clear()
    this.#places.clear()
    this.#items = []
    this.#first = 0
    for (const item of all.length === 0 ? known.values() : [...listed, ...known.values()]) this.#start(item)
    this.#isWhole = true
  }

  #start(item: Item): void {
    this.#places.set(item.item_id, this.#first + this.#items.length)
    this.#items.push(item)
  }

  #at(place: number): Item {
    return this.#items[place - this.#first] as Item
  }

  #put(place: number, item: Item): void {
    this.#items[place - this.#first] = item
  }

  #endTurn(ended: EventOf<"turn.ended">["data"]): void {
    // One at a time: the running one is the last.
    const at = this.#turns.length - 1
    const turn = this.#turns[at]
    if (turn?.turn_id !== ended.turn_id) this.#endings.set(ended.turn_id, ended)
    else this.#turns[at] = { ...turn, message_ids: ended.message_ids, ended }
  }

  #withEnding(turn: TranscriptTurn): TranscriptTurn {
    const ended = this.#endings.get(turn.turn_id)
    this.#endings.delete(turn.turn_id)
    return ended === undefined ? turn : { ...turn, message_ids: ended.message_ids, ended }
  }
}
