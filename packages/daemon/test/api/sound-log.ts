import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { expect } from "vitest"
import { checkLog } from "../core/checks.ts"
import { expectEvent } from "./contract-check.ts"

/** The invariants of SPEC §4, and that the folded transcript is what the log says. */
export function expectSoundLog(events: Event[], items: Item[]): void {
  events.forEach(expectEvent)
  expect(checkLog(events, { open: true }), events[0]?.session_id).toEqual([])
  const started = events.flatMap((event) => (event.type === "item.started" ? [event.data.item.item_id] : []))
  expect(items.map((item) => item.item_id)).toEqual(started)
  const done = new Map(events.flatMap((e) => (e.type === "item.completed" ? [[e.data.item.item_id, e.data.item]] : [])))
  const finals = items.filter((item) => item.status !== "in_progress")
  expect(finals).toEqual(finals.map((item) => done.get(item.item_id)))
}
