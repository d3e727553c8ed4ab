import type { Item, TranscriptTurn } from "sandbox-agent"

/** One line of the transcript that is measured and scrolled as one. */
export type Row =
  | { kind: "turn"; key: string; turn: TranscriptTurn; number?: number }
  | { kind: "item"; key: string; item: Item; result?: Item; inside: readonly Item[] }
  | { kind: "ending"; key: string; turn: TranscriptTurn }

/** Rows of a transcript. While text only grows, the row it grows in is all that changes. */
export class Rows {
  #items: readonly Item[] = []
  #turns: readonly TranscriptTurn[] = []
  #isWhole = false
  #rows: Row[] = []
  #places = new Map<string, number>()

  of(items: readonly Item[], turns: readonly TranscriptTurn[], isWhole: boolean): readonly Row[] {
    if (!this.#grew(items, turns, isWhole)) this.#build(items, turns, isWhole)
    this.#items = items
    this.#turns = turns
    this.#isWhole = isWhole
    return this.#rows
  }

  /** True when no more than contents of items that have rows changed. */
  #grew(items: readonly Item[], turns: readonly TranscriptTurn[], isWhole: boolean): boolean {
    if (items.length !== this.#items.length || isWhole !== this.#isWhole || !sameTurns(turns, this.#turns)) return false
    const changes: [number, Row][] = []
    for (let i = items.length - 1; i >= 0; i--) {
      const item = items[i] as Item
      const before = this.#items[i] as Item
      if (item === before) continue
      if (item.item_id !== before.item_id) return false
      const place = this.#places.get(item.item_id)
      const row = place === undefined ? undefined : this.#rows[place]
      if (row?.kind !== "item" || place === undefined) return false
      if (row.item === before) changes.push([place, { ...row, item }])
      else if (row.result === before) changes.push([place, { ...row, result: item }])
      else return false
    }
    if (changes.length > 0) this.#rows = this.#rows.slice()
    for (const [place, row] of changes) this.#rows[place] = row
    return true
  }

  #build(items: readonly Item[], turns: readonly TranscriptTurn[], isWhole: boolean): void {
    const known = new Map(this.#rows.map((row) => [row.key, row]))
    const kinds = new Map(items.map((item) => [item.item_id, item.kind]))
    const calls = new Map<string, Item>()
    const results = new Map<string, Item>()
    const inside = new Map<string, Item[]>()
    const byTurn = new Map(turns.map((turn, at) => [turn.turn_id, { turn, at }]))
    for (const item of items) {
      const id = callOf(item)
      if (id !== undefined && item.kind === "tool_call") calls.set(id, item)
    }
    const rows: Row[] = []
    const places = new Map<string, number>()
    const add = (row: Row): number => {
      const before = known.get(row.key)
      rows.push(before !== undefined && sameRow(before, row) ? before : row)
      return rows.length - 1
    }
    let open: TranscriptTurn | undefined
    let begun = 0
    const end = () => {
      if (open?.ended !== undefined && open.ended.stop_reason !== "end_turn")
        add({ kind: "ending", key: `end ${open.turn_id}`, turn: open })
    }
    const begin = (at: number) => {
      for (; begun <= at; begun++) {
        end()
        open = turns[begun]
        if (open === undefined) continue
        add({ kind: "turn", key: open.turn_id, turn: open, ...(isWhole && { number: begun + 1 }) })
      }
    }
    for (const item of items) {
      const parent = item.parent_id
      const call = item.kind === "tool_result" ? calls.get(callOf(item) ?? "") : undefined
      if (call !== undefined) {
        results.set(call.item_id, item)
        const place = places.get(call.item_id)
        const row = place === undefined ? undefined : rows[place]
        if (place !== undefined && row?.kind === "item") {
          const joined: Row = { ...row, result: item, inside: inside.get(call.item_id) ?? [] }
          const before = known.get(row.key)
          rows[place] = before !== undefined && sameRow(before, joined) ? before : joined
          places.set(item.item_id, place)
        }
        if (!(parent !== undefined && kinds.get(parent) === "tool_call")) continue
      }
      if (parent !== undefined && kinds.get(parent) === "tool_call") {
        const list = inside.get(parent) ?? []
        inside.set(parent, list)
        list.push(item)
        const place = places.get(parent)
        const row = place === undefined ? undefined : rows[place]
        if (place !== undefined && row?.kind === "item") rows[place] = { ...row, inside: list.slice() }
        continue
      }
      const turn = item.turn_id === undefined ? undefined : byTurn.get(item.turn_id)
      if (turn !== undefined && turn.at >= begun) begin(turn.at)
      places.set(item.item_id, add({ kind: "item", key: item.item_id, item, inside: [] }))
    }
    begin(turns.length - 1)
    end()
    this.#rows = rows
    this.#places = places
  }
}

const callOf = ({ content }: Item): string | undefined => {
  for (const part of content) if (part.type === "tool_call" || part.type === "tool_result") return part.call_id
  return undefined
}

const sameTurns = (a: readonly TranscriptTurn[], b: readonly TranscriptTurn[]): boolean =>
  a.length === b.length && a.every((turn, at) => turn === b[at])

function sameRow(a: Row, b: Row): boolean {
  if (a.kind !== b.kind) return false
  if (a.kind === "item" && b.kind === "item")
    return (
      a.item === b.item &&
      a.result === b.result &&
      a.inside.length === b.inside.length &&
      a.inside.every((item, at) => item === b.inside[at])
    )
  if (a.kind === "turn" && b.kind === "turn") return a.turn === b.turn && a.number === b.number
  return a.kind === "ending" && b.kind === "ending" && a.turn === b.turn
}
