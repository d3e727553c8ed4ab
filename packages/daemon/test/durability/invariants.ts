import type { Event } from "@sandbox-agent/schema/event"
import { Fold } from "../../src/core/fold.ts"

const finals = ["taken", "withdrawn", "failed"]

/** What is wrong with the log of a session at rest; empty when every promise of the event model holds. */
export function faultsOf(events: readonly Event[]): string[] {
  const faults: string[] = []
  const fold = new Fold()
  const userItems = new Map<string, number>()
  const results = new Set<string>()
  const calls = new Set<string>()
  let running: string | undefined
  let before = { sequence: (events[0]?.sequence ?? 1) - 1, time: "" }
  for (const event of events) {
    const at = `${event.sequence} ${event.type}`
    if (event.sequence !== before.sequence + 1) faults.push(`${at}: comes after ${before.sequence}`)
    if (event.time < before.time) faults.push(`${at}: ${event.time} is before ${before.time}`)
    if (event.synthetic !== (event.source === "daemon"))
      faults.push(`${at}: synthetic and source contradict each other`)
    before = event
    switch (event.type) {
      case "turn.started":
        if (running !== undefined) faults.push(`${at}: turn ${running} still runs`)
        if (fold.turns.has(event.data.turn_id)) faults.push(`${at}: started twice`)
        running = event.data.turn_id
        break
      case "turn.ended":
        if (running !== event.data.turn_id) faults.push(`${at}: ended while ${running ?? "none"} runs`)
        for (const [id, { item, completedSeq }] of fold.items)
          if (completedSeq === undefined && item.turn_id === running) faults.push(`${at}: item ${id} is still open`)
        running = undefined
        break
      case "item.started": {
        const { item_id, message_id, role } = event.data.item
        if (fold.items.has(item_id)) faults.push(`${at}: item started twice`)
        if (message_id !== undefined && role === "user") userItems.set(message_id, (userItems.get(message_id) ?? 0) + 1)
        break
      }
      case "item.delta":
      case "item.completed": {
        const id = event.type === "item.delta" ? event.data.item_id : event.data.item.item_id
        const known = fold.items.get(id)
        if (known === undefined || known.completedSeq !== undefined) faults.push(`${at}: item ${id} is not open`)
        if (event.type === "item.completed") {
          for (const part of event.data.item.content) {
            if (part.type === "tool_call") calls.add(part.call_id)
            if (part.type === "tool_result") results.add(part.call_id)
          }
          const first = event.data.item.content[0]
          const grown = known?.item.content[0]
          const streamed = event.data.item.role === "assistant" && event.data.item.kind === "message"
          if (streamed && first?.type === "text" && grown?.type === "text" && first.text !== grown.text)
            faults.push(`${at}: deltas add up to ${grown.text.length} characters, the text has ${first.text.length}`)
        }
        break
      }
      case "permission.resolved":
      case "question.resolved": {
        const id = "permission_id" in event.data ? event.data.permission_id : event.data.question_id
        if (fold.requests.get(id)?.status !== "requested") faults.push(`${at}: request ${id} is not open`)
        break
      }
      case "message.updated": {
        const was = fold.messages.get(event.data.message_id)?.state
        if (was !== undefined && finals.includes(was))
          faults.push(`${at}: message ${event.data.message_id} was already ${was}`)
        break
      }
      default:
    }
    fold.apply(event)
  }
  if (running !== undefined) faults.push(`turn ${running} never ended`)
  for (const [id, item] of fold.items) if (item.completedSeq === undefined) faults.push(`item ${id} never completed`)
  for (const [id, request] of fold.requests)
    if (request.status === "requested") faults.push(`request ${id} never resolved`)
  for (const call of calls) if (!results.has(call)) faults.push(`call ${call} has no result`)
  for (const [id, { state }] of fold.messages) {
    const items = userItems.get(id) ?? 0
    if (!finals.includes(state)) faults.push(`message ${id} is still ${state}`)
    if (items !== (state === "taken" ? 1 : 0)) faults.push(`message ${id} is ${state} and has ${items} user items`)
  }
  return faults
}
