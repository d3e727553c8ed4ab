import { expect } from "vitest"
import type { Event, SandboxAgentClient } from "../../src/sandbox-agent.ts"
import type { SessionRef, SessionStore } from "../../src/store/session-store.ts"

async function allOf(page: (offset: number) => Promise<{ events: Event[]; hasMore: boolean }>): Promise<Event[]> {
  const all: Event[] = []
  for (;;) {
    const { events, hasMore } = await page(all.at(-1)?.sequence ?? 0)
    all.push(...events)
    if (!hasMore) return all
  }
}

export const storedEvents = (store: SessionStore, ref: SessionRef): Promise<Event[]> =>
  allOf((offset) => store.events(ref, { offset, limit: 1000 }))

/** As soon as the store has the last event of the daemon: all are there, in order, and none twice. */
export async function expectSame(store: SessionStore, ref: SessionRef, client: SandboxAgentClient): Promise<number> {
  await expect
    .poll(async () => {
      const { lastSequence } = await client.getSession(ref.id)
      return ((await store.get(ref))?.lastSequence ?? 0) - lastSequence
    })
    .toBe(0)
  const theirs = await allOf((offset) => client.getEvents(ref.id, { offset, limit: 1000 }))
  const ours = await storedEvents(store, ref)
  expect(ours.map(({ sequence }) => sequence)).toEqual(ours.map((_, at) => at + 1))
  expect(ours).toEqual(theirs)
  return ours.length
}
