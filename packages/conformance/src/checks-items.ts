import type { Event, EventData } from "@sandbox-agent/schema/event"
import type { ContentPart, Item } from "@sandbox-agent/schema/item"

interface Known {
  item: Item
  /** Text so far of each part, from the start and the deltas. */
  texts: Map<number, string>
  /** Parts that text was streamed into. */
  streamed: Set<number>
  done: boolean
  startedAt: number
  doneAt: number
}

const textOf = (part: ContentPart | undefined): string | undefined =>
  part?.type === "text" || part?.type === "reasoning" ? part.text : undefined

/** Each item started, streamed and completed once, inside its turn; texts add up; calls get results. */
export function checkItems(events: readonly Event[], bad: string[], open: boolean): void {
  const items = new Map<string, Known>()
  let turn: string | undefined
  for (const event of events) {
    const at = `#${event.sequence} ${event.type}`
    if (event.type === "turn.started") turn = event.data.turn_id
    if (event.type === "item.started") started(at, event, turn, items, bad)
    if (event.type === "item.delta") delta(at, event.data, items, bad)
    if (event.type === "item.completed") completed(at, event.data.item, event.sequence, items, bad)
    if (event.type === "turn.ended") {
      ended(at, event.data.turn_id, items, bad)
      turn = undefined
    }
    if (event.type === "session.ended")
      for (const { item } of unfinished(items)) bad.push(`${at}: item ${item.item_id} is still open`)
  }
  if (open) return
  for (const { item } of unfinished(items)) bad.push(`item ${item.item_id} (${item.kind}) was never completed`)
  missingResults(items, () => true, "the log ends", bad)
}

const unfinished = (items: Map<string, Known>) => [...items.values()].filter(({ done }) => !done)

type Started = Extract<Event, { type: "item.started" }>

function started(at: string, event: Started, turn: string | undefined, items: Map<string, Known>, bad: string[]): void {
  const { item } = event.data
  const { item_id, turn_id } = item
  if (items.has(item_id)) return void bad.push(`${at}: ${item_id} started twice`)
  if (item.status !== "in_progress") bad.push(`${at}: starts as ${item.status}`)
  // A late item that outgrew the limit goes on as it is, whatever runs meanwhile.
  const goesOn = item.late === true && item.metadata?.reason === "continuation"
  if (turn_id !== turn && !goesOn) bad.push(`${at}: belongs to ${turn_id}, running is ${turn}`)
  if (!event.replayed && (turn_id === undefined) !== (item.late ?? false))
    bad.push(`${at}: late is ${item.late} with turn ${turn_id}`)
  if (item.parent_id !== undefined && !items.has(item.parent_id))
    bad.push(`${at}: parent ${item.parent_id} was never started`)
  const texts = new Map(
    item.content.flatMap((part, i) => (textOf(part) === undefined ? [] : [[i, textOf(part) ?? ""] as const])),
  )
  items.set(item_id, {
    item,
    texts,
    streamed: new Set(),
    done: false,
    startedAt: event.sequence,
    doneAt: Number.POSITIVE_INFINITY,
  })
}

function delta(at: string, data: EventData<"item.delta">, items: Map<string, Known>, bad: string[]): void {
  const known = items.get(data.item_id)
  if (known === undefined) return void bad.push(`${at}: ${data.item_id} was never started`)
  if (known.done) bad.push(`${at}: ${data.item_id} is done`)
  if (data.part.type !== "text" && data.part.type !== "reasoning") return
  known.streamed.add(data.part.index)
  const had = data.reset ? "" : (known.texts.get(data.part.index) ?? "")
  known.texts.set(data.part.index, had + data.delta)
}

function completed(at: string, item: Item, sequence: number, items: Map<string, Known>, bad: string[]): void {
  const known = items.get(item.item_id)
  if (known === undefined) return void bad.push(`${at}: ${item.item_id} was never started`)
  if (known.done) return void bad.push(`${at}: ${item.item_id} completed twice`)
  if (item.status === "in_progress") bad.push(`${at}: completed while in progress`)
  for (const field of ["kind", "role", "turn_id", "parent_id", "message_id", "group", "late"] as const)
    if (known.item[field] !== item[field])
      bad.push(`${at}: ${field} changed from ${known.item[field]} to ${item[field]}`)
  sameText(at, known, item, bad)
  known.item = item
  known.done = true
  known.doneAt = sequence
}

/** The fold of the deltas is the final text: of an assistant's message every part, else what was streamed. */
function sameText(at: string, known: Known, item: Item, bad: string[]): void {
  const promised = item.kind === "message" && item.role === "assistant"
  for (const index of new Set([...known.texts.keys(), ...item.content.keys()])) {
    if (!promised && !known.streamed.has(index)) continue
    const folded = known.texts.get(index) ?? ""
    const final = textOf(item.content[index]) ?? ""
    if (folded !== final)
      bad.push(`${at}: part ${index} of ${item.item_id} folds to ${shown(folded)} but is ${shown(final)}`)
  }
}

const shown = (text: string): string =>
  text.length > 60 ? `${JSON.stringify(text.slice(0, 60))}… (${text.length})` : JSON.stringify(text)

function ended(at: string, turn: string, items: Map<string, Known>, bad: string[]): void {
  for (const { item } of unfinished(items))
    if (item.turn_id === turn) bad.push(`${at}: item ${item.item_id} (${item.kind}) is still open`)
  missingResults(items, (item) => item.turn_id === turn, at, bad)
}

function missingResults(items: Map<string, Known>, among: (item: Item) => boolean, at: string, bad: string[]): void {
  const answers = ({ item, doneAt }: Known, call: string, since: number) =>
    doneAt > since && item.content.some((part) => part.type === "tool_result" && part.call_id === call)
  for (const { item, startedAt } of items.values()) {
    if (item.kind !== "tool_call" || !among(item)) continue
    for (const part of item.content)
      if (part.type === "tool_call" && ![...items.values()].some((other) => answers(other, part.call_id, startedAt)))
        bad.push(`${at}: call ${part.call_id} has no result`)
  }
}
