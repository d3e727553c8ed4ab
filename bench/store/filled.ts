import type { PostgresPool } from "../../packages/sandbox-agent/src/store/postgres.ts"
import { PostgresStore } from "../../packages/sandbox-agent/src/store/postgres.ts"

/** Events of each session, and every how many of them something is said. */
export const eventsEach = 100
const saidEvery = 20
/** Of 2026; the last session of each is known by its id. */
export const months = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10"].map((month) => `2026-${month}`)

/**
 * Sessions of ten months in tables that the store has made, each with a hundred events. Written by the database itself: what is measured is
 * how the store reads.
 */
export async function fill(pool: PostgresPool, schema: string, sessions: number): Promise<void> {
  const store = await PostgresStore.open(pool, { schema })
  const each = Math.floor(sessions / months.length)
  const lease = await store.lease("box-0", "bench", 600_000)
  if (lease === undefined) throw new Error("nobody else writes here")
  for (const [at, month] of months.entries()) {
    // The store makes the tables of a month with its first session.
    const first = { id: `first-${month}`, createdAt: `${month}-01T00:00:00.000Z`, agent: "mock" }
    await store.open(lease, [first as never])
    const sql = (text: string) => pool.query(text.replaceAll("$schema", schema))
    await sql(`INSERT INTO $schema.sessions (sandbox, id, created_at, month, agent, info, last_sequence)
      SELECT 'box-' || n % 500, 's-${at}-' || n, '${month}-' || lpad((1 + n * 28 / ${each})::text, 2, '0') || 'T10:00:00.' || lpad((n % 1000)::text, 3, '0') || 'Z', '${month}',
        CASE n % 3 WHEN 0 THEN 'claude' WHEN 1 THEN 'codex' ELSE 'mock' END,
        '{"id":"s-${at}-' || n || '","agent":"mock","status":"idle","title":"A session of the bench","queue":[]}', ${eventsEach}
      FROM generate_series(1, ${each}) n`)
    await sql(`INSERT INTO $schema.events
      SELECT '${month}', uid, n, '{"event_id":"evt_' || uid || '_' || n || '","sequence":' || n || ',"time":"${month}-01T10:00:00.000Z","session_id":"' || id ||
        '","source":"agent","synthetic":false,"type":"item.delta","data":{"item_id":"item_1dd347ff90013b7grCwoArYR3A","delta":"some words ","part":{"index":0,"type":"text"}}}'
      FROM $schema.sessions, generate_series(1, ${eventsEach}) n WHERE month = '${month}' AND last_sequence > 0 ORDER BY uid, n`)
    await sql(`INSERT INTO $schema.texts
      SELECT month, uid, n, 'deploy the needle' || uid || 'x' || n || ' again', array_to_tsvector(ARRAY['deploy', 'the', 'needle' || uid || 'x' || n, 'again']), sandbox, created_at
      FROM $schema.sessions, generate_series(${saidEvery}, ${eventsEach}, ${saidEvery}) n WHERE month = '${month}' AND last_sequence > 0`)
  }
  await pool.query(`ANALYZE ${schema}.sessions, ${schema}.events, ${schema}.texts`)
  await store.release(lease)
  await store.close()
}
