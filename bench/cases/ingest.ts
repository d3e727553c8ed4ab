import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SandboxAgentClient } from "../../packages/sandbox-agent/src/sandbox-agent.ts"
import { MemoryStore } from "../../packages/sandbox-agent/src/store/memory.ts"
import { PostgresStore } from "../../packages/sandbox-agent/src/store/postgres.ts"
import type { SessionStore } from "../../packages/sandbox-agent/src/store/session-store.ts"
import { SqliteStore } from "../../packages/sandbox-agent/src/store/sqlite.ts"
import { TestPostgres } from "../../packages/sandbox-agent/test/harness/postgres.ts"
import type { Case } from "../case.ts"
import { median } from "../measure/stats.ts"
import { isTrue, type Row } from "../row.ts"
import { roundsInPage } from "../sdk/indexeddb.ts"
import { hasAll, ingestMs, readMs } from "../sdk/ingesting.ts"
import { token } from "../target/api.ts"

const sessions = 4
const deltas = 20_000
const rounds = 3

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
        isWhole &&= await hasAll(store, lasts)
      }
    }
    const inPage = await roundsInPage(`http://127.0.0.1:${server.port}`, lasts, rounds)
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
    const about = `${total} events of ${sessions} sessions of one sandbox; floor: read and not stored`
    const row = (name: string, times: number[], floorTimes: number[], whole: boolean, note = about): Row => ({
      name: `events/s into the ${name} store`,
      unit: "/s",
      ours: rate(times),
      floor: rate(floorTimes),
      bar: isTrue(whole, "nothing lost"),
      note,
    })
    const rows = [...taken].map(([name, times]) => row(name, times, floors, isWhole))
    if (inPage === undefined)
      return [...rows, { name: "events/s into the IndexedDB store", unit: "/s", note: "no Chromium here" }]
    const [times, reading] = [inPage.map(({ takenMs }) => takenMs), inPage.map(({ floorMs }) => floorMs)]
    const whole = inPage.every((round) => round.isWhole)
    return [...rows, row("IndexedDB", times, reading, whole, `the same in a page of Chromium, by way of a proxy`)]
  },
}
