import { PostgresStore } from "../../packages/sandbox-agent/src/store/postgres.ts"
import type { Event } from "../../packages/sandbox-agent/src/types.ts"
import { TestPostgres } from "../../packages/sandbox-agent/test/harness/postgres.ts"
import type { Case } from "../case.ts"
import { now } from "../measure/clock.ts"
import { median } from "../measure/stats.ts"
import { atMost, type Row } from "../row.ts"
import { eventsEach, fill, months } from "../store/filled.ts"

const few = 1_000
const many = Number(process.env.STORE_SESSIONS ?? 100_000)
const rounds = 15

type Work = (store: PostgresStore, round: number) => Promise<unknown>

/** A session in the middle of all, another one each time. */
const someRef = (sessions: number, round: number) => {
  const n = 1 + ((round * 7919) % Math.floor(sessions / months.length))
  return { sandbox: `box-${n % 500}`, id: `s-${(round * 3) % 9}-${n}` }
}

const works = (sessions: number): Record<string, Work> => ({
  "list: the newest 50": (store) => store.list({ limit: 50 }),
  "list: a page in the middle": (store) => store.list({ limit: 50, cursor: "2026-05-14T10:00:00.500Z 1" }),
  "list: 50 of one sandbox": (store, round) => store.list({ sandbox: `box-${round}`, limit: 50 }),
  "list: 50 of an agent": (store) => store.list({ agent: "claude", limit: 50 }),
  "open the end of a session: its last 50 events": async (store, round) => {
    const session = await store.get(someRef(sessions, round))
    const { events } = await store.events(someRef(sessions, round), { offset: (session?.lastSequence ?? 0) - 50 })
    if (events.length !== 50) throw new Error("the session is not whole")
  },
  "search: a word that was said once": async (store, round) => {
    const uid = 2 + ((round * 7919) % Math.floor(sessions / months.length))
    if ((await store.search(`needle${uid}x40`)).length !== 1) throw new Error("it was not found")
  },
  "search: a word that is everywhere, the newest 50": async (store) => {
    if ((await store.search("deploy", { limit: 50 })).length !== 50) throw new Error("it was not found")
  },
  "append one event to a session": async (store, round) => {
    const { sandbox, id } = someRef(sessions, round)
    const lease = await store.lease(sandbox, "bench", 60_000)
    const session = await store.get({ sandbox, id })
    if (lease === undefined || session === undefined) throw new Error("it is not there")
    const [opened] = await store.open(lease, [{ ...session.info, createdAt: session.createdAt }])
    const event = { sequence: session.lastSequence + 1, type: "turn.started", session_id: id } as unknown as Event
    await store.append(lease, [{ uid: opened?.uid ?? "", events: [event] }])
    await store.release(lease)
  },
})

async function measured(store: PostgresStore, sessions: number): Promise<Record<string, number>> {
  const taken: Record<string, number> = {}
  for (const [name, work] of Object.entries(works(sessions))) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const begin = now()
      await work(store, round)
      times.push(now() - begin)
    }
    taken[name] = median(times)
  }
  return taken
}

/** The store is never so again. */
async function dropMs(store: PostgresStore, sessions: number): Promise<number> {
  const begin = now()
  const dropped = await store.drop(new Date(`${months[1]}-01T00:00:00.000Z`))
  const taken = now() - begin
  if (dropped < sessions / months.length) throw new Error("not all of the month was dropped")
  return taken
}

/** What is dropped grows with what there is, and is a table. */
const isDrop = (name: string): boolean => name.startsWith("drop")

/** The same store with a thousand sessions, and with a hundred thousand: ten million events. */
export const storeScale: Case = {
  name: "store-scale",
  needs: () => `a Postgres with ${(many * eventsEach) / 1e6} million events, which takes minutes to fill`,
  run: async (): Promise<Row[]> => {
    await using postgres = await TestPostgres.start()
    const at = async (sessions: number) => {
      const schema = `bench_${sessions}`
      await fill(await postgres.pool(), schema, sessions)
      await using store = await PostgresStore.open(await postgres.pool(), { schema })
      await measured(store, sessions) // what is read first is read from disk
      const taken = await measured(store, sessions)
      return { ...taken, "drop the oldest month": await dropMs(store, sessions) }
    }
    const small: Record<string, number> = await at(few)
    const large = await at(many)
    return Object.entries(large).map(([name, ours]): Row => {
      const floor = small[name] ?? Number.NaN
      return {
        name: `${(many * eventsEach) / 1e6} million events in Postgres, ${name}`,
        unit: "ms",
        ours,
        floor,
        bar: isDrop(name)
          ? atMost(ours, 2000, "ms")
          : atMost(ours, Math.max(3 * floor, floor + 5), "ms", `3 × that of ${few} sessions`),
        note: `floor: ${few} sessions of ${eventsEach} events; ours: ${many}`,
      }
    })
  },
}
