import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { expect } from "vitest"
import { expectEvent } from "./contract-check.ts"

/** The invariants of SPEC §4 that hold for any log, whatever happened in it. */
export function expectSoundLog(events: Event[], items?: Item[]): void {
  const open = new Map<string, { item: Item; texts: Map<number, string> }>()
  const done = new Map<string, Item>()
  const requests = new Map<string, string>()
  let turn: string | undefined
  let time = ""
  events.forEach((event, index) => {
    expectEvent(event)
    const at = `event ${event.sequence} ${event.type} of ${event.session_id}`
    expect(event.sequence, at).toBe(index + 1)
    expect(event.time >= time, `${at}: time goes back`).toBe(true)
    expect(event.synthetic, at).toBe(event.source === "daemon")
    time = event.time
    switch (event.type) {
      case "turn.started":
        expect(turn, `${at}: turns overlap`).toBeUndefined()
        turn = event.data.turn_id
        break
      case "turn.ended": {
        const { turn_id } = event.data
        expect(turn, at).toBe(turn_id)
        expect([...open.values()].filter(({ item }) => item.turn_id === turn_id).length, `${at}: open items`).toBe(0)
        turn = undefined
        break
      }
      case "item.started": {
        const { item } = event.data
        expect(open.has(item.item_id) || done.has(item.item_id), `${at}: started twice`).toBe(false)
        expect(item.status, at).toBe("in_progress")
        open.set(item.item_id, { item, texts: new Map() })
        break
      }
      case "item.delta": {
        const { item_id, part, delta, reset } = event.data
        const texts = open.get(item_id)?.texts
        if (texts === undefined) throw new Error(`${at}: delta of an item that is not open`)
        texts.set(part.index, (reset ? "" : (texts.get(part.index) ?? "")) + delta)
        break
      }
      case "item.completed": {
        const { item } = event.data
        const started = open.get(item.item_id)
        if (started === undefined) throw new Error(`${at}: completed and not open`)
        expect(item.status, at).not.toBe("in_progress")
        for (const [part, text] of started.texts) {
          const final = item.content[part]
          if (final?.type === "text" || final?.type === "reasoning") expect(text, at).toBe(final.text)
        }
        open.delete(item.item_id)
        done.set(item.item_id, item)
        break
      }
      case "permission.requested":
      case "question.requested":
      case "permission.resolved":
      case "question.resolved": {
        const id = "permission_id" in event.data ? event.data.permission_id : event.data.question_id
        const asked = event.type.endsWith("requested")
        expect(requests.get(id), at).toBe(asked ? undefined : "requested")
        requests.set(id, event.data.status)
      }
    }
  })
  if (turn === undefined) expectEveryCallAnswered([...done.values()])
  if (items === undefined) return
  // The folded transcript is the log's own items, in the order they started.
  const finals = items.filter((item) => item.status !== "in_progress")
  expect(finals).toEqual(finals.map((item) => done.get(item.item_id)))
  expect(finals.length).toBe(done.size)
}

function expectEveryCallAnswered(items: Item[]): void {
  const parts = items.flatMap((item) => item.content)
  const answered = new Set(parts.flatMap((part) => (part.type === "tool_result" ? [part.call_id] : [])))
  for (const part of parts)
    if (part.type === "tool_call") expect(answered.has(part.call_id), `no result of ${part.call_id}`).toBe(true)
}
