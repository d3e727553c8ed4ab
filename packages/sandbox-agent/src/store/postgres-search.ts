import type { Postgres } from "./postgres-database.ts"

/** Where something was said. */
export interface EventKey {
  month: string
  uid: string
  sequence: string
}

export interface Said extends EventKey {
  text: string
}

interface Asked {
  query: string
  sandbox: string | undefined
  size: number
}

/** Texts that are looked at from the newest, and keys that are sorted here. */
const newestTexts = 1000
const fewKeys = 1000

/**
 * Keys of the events that a query finds, newest first. A word that is everywhere is among the newest texts; a rare one is looked up in all months at once,
 * and what is found is sorted; of what is between them the newest are read month by month, as far as is needed.
 */
export async function findEvents(db: Postgres, asked: Asked): Promise<EventKey[]> {
  const { query, sandbox, size } = asked
  const newest = await db.rows<EventKey>(
    `SELECT month, uid, sequence FROM (SELECT * FROM $schema.texts
       ORDER BY created_at DESC, uid DESC, sequence DESC LIMIT $4) newest
     WHERE words @@ $1::tsquery AND ($2::text IS NULL OR sandbox = $2) LIMIT $3`,
    [query, sandbox ?? null, size, newestTexts],
  )
  if (newest.length === size) return newest
  // Planned as if all were wanted, by the index of words, and ended when there are too many: a limit inside would have it read whole tables.
  const few = await db.rows<EventKey & { created_at: string }>(
    `WITH found AS MATERIALIZED (SELECT month, uid, sequence, created_at FROM $schema.texts
       WHERE words @@ $1::tsquery AND ($2::text IS NULL OR sandbox = $2))
     SELECT * FROM found LIMIT $3`,
    [query, sandbox ?? null, fewKeys + 1],
  )
  if (few.length > fewKeys) return newestEvents(db, asked)
  return few.sort(newestFirst).slice(0, size)
}

async function newestEvents(db: Postgres, { query, sandbox, size }: Asked): Promise<EventKey[]> {
  const keys: EventKey[] = []
  for (let month = await monthBefore(db, null); month !== undefined && keys.length < size; ) {
    const rows = await db.rows<EventKey>(
      `SELECT month, uid, sequence FROM $schema.texts
       WHERE month = $1 AND words @@ $2::tsquery AND ($3::text IS NULL OR sandbox = $3)
       ORDER BY created_at DESC, uid DESC, sequence DESC LIMIT $4`,
      [month, query, sandbox ?? null, size - keys.length],
    )
    keys.push(...rows)
    month = await monthBefore(db, month)
  }
  return keys
}

/** The texts of these events, in their order. */
export async function textsAt<Row extends object>(db: Postgres, keys: readonly EventKey[]): Promise<(Row & Said)[]> {
  if (keys.length === 0) return []
  return db.rows<Row & Said>(
    `SELECT s.*, v.sequence, t.text
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS v (month, uid, sequence, at)
     JOIN $schema.texts t ON t.month = v.month AND t.uid = v.uid AND t.sequence = v.sequence
     JOIN $schema.sessions s ON s.uid = v.uid ORDER BY v.at`,
    [keys.map(({ month }) => month), keys.map(({ uid }) => uid), keys.map(({ sequence }) => sequence)],
  )
}

/** The next one with a session in it; of all when none is named. */
async function monthBefore(db: Postgres, month: string | null): Promise<string | undefined> {
  const [row] = await db.rows<{ month: string }>(
    "SELECT month FROM $schema.sessions WHERE $1::text IS NULL OR created_at < $1 ORDER BY created_at DESC LIMIT 1",
    [month],
  )
  return row?.month
}

type Aged = EventKey & { created_at: string }

const newestFirst = (one: Aged, other: Aged): number => {
  if (one.created_at !== other.created_at) return one.created_at < other.created_at ? 1 : -1
  return Number(other.uid) - Number(one.uid) || Number(other.sequence) - Number(one.sequence)
}
