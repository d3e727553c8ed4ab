import type { Database } from "bun:sqlite"
import { join } from "node:path"
import { isBroken } from "./damage.ts"
import { areFrames, jsonOf } from "./frames.ts"
import type { SessionRecord } from "./row-types.ts"

interface Named {
  id?: string
  alias?: string
  agent?: string
}

/**
 * Sessions whose row was lost and whose log was not: what of the row stands in indexes and in logs is put together
 * again. Where it worked and with which settings is gone, so it has ended; it can be read, forked and deleted.
 */
export function rebuildSessions(from: Database, to: Database, directory: string): string[] {
  const sql = "SELECT DISTINCT uid FROM log WHERE uid > 0 AND uid NOT IN (SELECT uid FROM sessions)"
  const orphans = (to.query(sql).all() as { uid: number }[]).map(({ uid }) => uid)
  if (orphans.length === 0) return []
  const names = namesOf(from)
  const agents = agentsOf(to)
  return orphans.flatMap((uid) => {
    const events = eventsOf(to, uid)
    const named = names.get(uid)
    const id = named?.id ?? events.id
    const agent = named?.agent ?? agents.get(id ?? "")
    if (id === undefined || agent === undefined || isTaken(to, id)) return []
    const record: SessionRecord = {
      uid,
      id,
      alias: named?.alias ?? `ses_rebuilt_${uid}`,
      agent,
      agentMode: "build",
      permissionMode: "default",
      directory: "/",
      status: "ended",
      background: 0,
      processLive: false,
      createdAt: events.first,
      updatedAt: events.last,
      endedAt: events.last,
      error: {
        code: "internal",
        message: "what was stored of this session beside its events was damaged; its directory and settings are lost",
      },
      metadata: {},
      native: { home: join(directory, "agents", agent), durable: false },
    }
    const insert = `INSERT INTO sessions (uid, id, alias, agent, status, record, first_seq, last_seq, raw_last)
      VALUES (?, ?, ?, ?, 'ended', ?, ?, ?, 0)`
    to.query(insert).run(uid, id, record.alias, agent, JSON.stringify(record), events.firstSeq, events.lastSeq)
    return [id]
  })
}

const isTaken = (db: Database, id: string): boolean => db.query("SELECT 1 FROM sessions WHERE id = ?").get(id) !== null

/** From indexes alone: they stand where rows do not. */
function namesOf(db: Database): Map<number, Named> {
  const names = new Map<number, Named>()
  const read = (sql: string) => {
    try {
      for (const { uid, ...named } of db.query(sql).iterate() as IterableIterator<Named & { uid: number }>)
        names.set(uid, { ...names.get(uid), ...named })
    } catch (error) {
      if (!isBroken(error)) throw error
    }
  }
  read("SELECT uid, id FROM sessions INDEXED BY sqlite_autoindex_sessions_1 WHERE id >= ''")
  read("SELECT uid, alias FROM sessions INDEXED BY sqlite_autoindex_sessions_2 WHERE alias >= ''")
  read("SELECT uid, agent FROM sessions INDEXED BY sessions_by_native WHERE native_id IS NOT NULL")
  return names
}

interface LogRow {
  seq: number
  count: number
  frames: Uint8Array
}

const textsOf = ({ seq, count, frames }: LogRow): string[] => (areFrames(frames, seq, count) ? jsonOf(frames, seq) : [])

/** The log of all sessions says which agent each had. */
function agentsOf(db: Database): Map<string, string> {
  const agents = new Map<string, string>()
  for (const row of db.query("SELECT seq, count, frames FROM log WHERE uid = 0 ORDER BY seq").iterate())
    for (const text of textsOf(row as LogRow)) {
      const event = JSON.parse(text) as { type?: string; session_id?: string; data?: { agent?: string } }
      if (event.type === "session.created" && event.session_id !== undefined && event.data?.agent !== undefined)
        agents.set(event.session_id, event.data.agent)
    }
  return agents
}

/** What the first and the last events of a log say. */
function eventsOf(db: Database, uid: number) {
  const end = (order: "ASC" | "DESC") =>
    db.query(`SELECT seq, count, frames FROM log WHERE uid = ? ORDER BY seq ${order} LIMIT 1`).get(uid) as LogRow
  const [first, last] = [end("ASC"), end("DESC")]
  const read = (text: string | undefined) => JSON.parse(text ?? "{}") as { time?: string; session_id?: string }
  const [begun, ended] = [read(textsOf(first)[0]), read(textsOf(last).at(-1))]
  const now = new Date().toISOString()
  return {
    id: begun.session_id ?? ended.session_id,
    first: begun.time ?? now,
    last: ended.time ?? now,
    firstSeq: first.seq,
    lastSeq: last.seq + last.count - 1,
  }
}
