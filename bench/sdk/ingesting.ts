import type { SandboxAgentClient } from "../../packages/sandbox-agent/src/sandbox-agent.ts"
import { Ingest } from "../../packages/sandbox-agent/src/store/ingest.ts"
import type { SessionStore } from "../../packages/sandbox-agent/src/store/session-store.ts"

/** The last sequence of each session of a sandbox. */
export type Lasts = ReadonlyMap<string, number>

/** How many events of the end of each session are looked at. */
const looked = 500

/** All that a daemon has, read from the beginning; without a store it is the floor. */
export async function readMs(client: SandboxAgentClient, lasts: Lasts): Promise<number> {
  const begin = performance.now()
  await Promise.all(
    [...lasts].map(async ([id, last]) => {
      for await (const { sequence } of client.streamEvents(id)) if (sequence === last) return
    }),
  )
  return performance.now() - begin
}

export async function ingestMs(client: SandboxAgentClient, store: SessionStore, lasts: Lasts): Promise<number> {
  const begin = performance.now()
  const ingest = new Ingest(store)
  const waiting = new Set(lasts.keys())
  let done: () => void = () => undefined
  let failed: (error: unknown) => void = () => undefined
  const stored = new Promise<void>((resolve, reject) => {
    done = resolve
    failed = reject
  })
  const look = async (id: string) => {
    const session = await store.get({ sandbox: "box", id })
    if ((session?.lastSequence ?? 0) >= (lasts.get(id) ?? 0)) waiting.delete(id)
    if (waiting.size === 0) done()
  }
  store.onStored(({ id }) => {
    look(id).catch(failed)
  })
  ingest.add("box", client)
  await stored
  const taken = performance.now() - begin
  await ingest.close()
  return taken
}

/** Whether the store has the end of every session. */
export async function hasAll(store: SessionStore, lasts: Lasts): Promise<boolean> {
  for (const [id, last] of lasts) {
    const range = { offset: last - looked, limit: 2 * looked }
    const { events, hasMore } = await store.events({ sandbox: "box", id }, range)
    if (hasMore || events.length !== looked) return false
  }
  return true
}
