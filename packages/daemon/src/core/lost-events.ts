import { boundText } from "./bounds.ts"
import { wholeItem } from "./items.ts"
import type { Session } from "./session.ts"

/** Events that can no longer be read, from and to. */
export type Hole = readonly [first: number, last: number]

/** Tells in the log of a session that a part of it is gone: who reads the items would not see it otherwise. */
export function tellLostEvents(s: Session, holes: readonly Hole[]): void {
  if (holes.length === 0) return
  const places = holes.map(([first, last]) => (first === last ? `${first}` : `${first} to ${last}`)).join(", ")
  const detail = boundText(`the store was damaged: events ${places} are lost, and what they told is missing here`)
  const content = [{ type: "status" as const, label: "store.events_lost", detail }]
  wholeItem(s, { kind: "status", late: true, content }, "completed", "daemon")
}
