import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SandboxAgentClient } from "../../packages/sandbox-agent/src/sandbox-agent.ts"
import { Ingest } from "../../packages/sandbox-agent/src/store/ingest.ts"
import { MemoryStore } from "../../packages/sandbox-agent/src/store/memory.ts"
import { PostgresStore } from "../../packages/sandbox-agent/src/store/postgres.ts"
import type { SessionStore } from "../../packages/sandbox-agent/src/store/session-store.ts"
import { SqliteStore } from "../../packages/sandbox-agent/src/store/sqlite.ts"
import { TestPostgres } from "../../packages/sandbox-agent/test/harness/postgres.ts"
import type { Case } from "../case.ts"
import { now } from "../measure/clock.ts"
import { median } from "../measure/stats.ts"
import { isTrue, type Row } from "../row.ts"
import { token } from "../target/api.ts"

const sessions = 4
const deltas = 20_000
const rounds = 3

/** All that a daemon has, read from the beginning; without a store it is the floor. */
async function readMs(client: SandboxAgentClient, lasts: Map<string, number>): Promise<number> {
  const begin = now()
  await Promise.all(
    [...lasts].map(async ([id, last]) => {
      for await (const { sequence } of client.streamEvents(id)) if (sequence === last) return
    }),
  )
  return now() - begin
}

async function ingestMs(client: SandboxAgentClient, store: SessionStore, lasts: Map<string, number>): Promise<number> {
  const begin = now()
  const ingest = new Ingest(store)
  const waiting = new Set(lasts.keys())
  const done = Promise.withResolvers<void>()
  const look = async (id: string) => {
    const stored = await store.get({ sandbox: "box", id })
    if ((stored?.lastSequence ?? 0) >= (lasts.get(id) ?? 0)) waiting.delete(id)
    if (waiting.size === 0) done.resolve()
  }
  store.onStored(({ id }) => {
    look(id).catch(done.reject)
  })
  ingest.add("box", client)
  await done.promise
  const taken = now() - begin
  await ingest.close()
  return taken
}

/** How fast what a daemon has goes into each store. */
export const ingest: Case = {
  name: "ingest",
  run: async ({ ours }): Promise<Row[]> => {
    const server = await ours.start()
    const client = new SandboxAgentClient({ baseUrl: `http://127.0.0.1:${server.port}`, token, autoConnect: false })
    const lasts = new Map<string, number>()
    for (let at = 0; at < sessions; at++) {
      const session = await client.startSession({ id: `ingest-${at}`, agent: "mock" })
      await session.prompt(`/stream ${deltas}`)
      session.close()
      lasts.set(session.id, (await session.info()).lastSequence)
    }
    const total = [...lasts.values()].reduce((sum, last) => sum + last, 0)
    const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-bench-ingest-"))
    await using postgres = await TestPostgres.start()
    let files = 0
    const stores: Record<string, () => Promise<SessionStore>> = {
      memory: async () => new MemoryStore(),
      SQLite: async () => new SqliteStore(new Database(join(folder, `${++files}.db`))),
      Postgres: async () => PostgresStore.open(await postgres.pool(), { schema: `bench_${++files}` }),
    }
    const rate = (times: number[]) => (total / median(times)) * 1000
    const floors: number[] = []
    const taken = new Map<string, number[]>()
    let isWhole = true
    for (let round = 0; round < rounds; round++) {
      floors.push(await readMs(client, lasts))
      for (const [name, open] of Object.entries(stores)) {
        await using store = await open()
        taken.set(name, [...(taken.get(name) ?? []), await ingestMs(client, store, lasts)])
        for (const [id, last] of lasts) {
          const { events, hasMore } = await store.events({ sandbox: "box", id }, { offset: last - 500, limit: 1000 })
          isWhole &&= !hasMore && events.length === 500
        }
      }
    }
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
    const floor = rate(floors)
    return [...taken].map(([name, times]): Row => {
      const note = `${total} events of ${sessions} sessions of one sandbox; floor: read and not stored`
      return {
        name: `events/s into the ${name} store`,
        unit: "/s",
        ours: rate(times),
        floor,
        bar: isTrue(isWhole, "nothing lost"),
        note,
      }
    })
  },
}
