import { StoreError } from "../errors.ts"
import type { Event } from "../types.ts"
import type { SessionBatch } from "./session-store.ts"

/** What of a batch is not stored yet. Refuses one that does not follow what is. */
export function freshEvents({ events, lost }: SessionBatch, lastSequence: number): { events: Event[]; last: number } {
  let last = lastSequence
  if (lost !== undefined && lost.to > last) {
    if (lost.from > last + 1) throw gap(last, lost.from)
    last = lost.to
  }
  const fresh: Event[] = []
  for (const event of events) {
    if (event.sequence <= last) continue
    if (event.sequence !== last + 1) throw gap(last, event.sequence)
    last = event.sequence
    fresh.push(event)
  }
  return { events: fresh, last }
}

const gap = (last: number, came: number): StoreError => new StoreError("gap", `Event ${came} does not follow ${last}`)

export const leaseLost = (sandbox: string): StoreError =>
  new StoreError("lease_lost", `The lease of ${sandbox} is another's now`)
