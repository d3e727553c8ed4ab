import { Database } from "bun:sqlite"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "@sandbox-agent/schema/event"
import { expect, onTestFinished } from "vitest"
import { Fold } from "../../src/core/fold.ts"
import { jsonOf } from "../../src/store/frames.ts"
import { redoPath } from "../../src/store/redo.ts"
import { scratch } from "../harness/daemon.ts"

/** A data directory for several daemons in a row, removed after the test. */
export function keptDirectory(): string {
  const directory = scratch()
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export const databaseFile = (dataDir: string): string => join(dataDir, "sandbox-agent.db")

/** All that the files of a store hold, also what is not in the database yet. */
export const storedBytes = (dataDir: string): Buffer =>
  Buffer.concat(
    [databaseFile(dataDir), `${databaseFile(dataDir)}-wal`, redoPath(dataDir)]
      .filter((path) => existsSync(path))
      .map((path) => readFileSync(path)),
  )

/** Opens the file of a daemon that is not running, for the time of one call. */
export function withDatabase<T>(dataDir: string, use: (db: Database) => T): T {
  const db = new Database(databaseFile(dataDir))
  try {
    return use(db)
  } finally {
    db.close()
  }
}

export interface StoredSession {
  uid: number
  id: string
  first_seq: number
  last_seq: number
  status: string
}

export const storedSessions = (db: Database): StoredSession[] =>
  db
    .query("SELECT uid, id, first_seq, last_seq, status FROM sessions WHERE deleted = 0 ORDER BY uid")
    .all() as StoredSession[]

export function storedLog(db: Database, uid: number): Event[] {
  const pages = db.query("SELECT seq, frames FROM log WHERE uid = ? ORDER BY seq").all(uid) as {
    seq: number
    frames: Uint8Array
  }[]
  return pages.flatMap((page) => jsonOf(page.frames, page.seq)).map((text) => JSON.parse(text) as Event)
}

type Doc = Record<string, unknown>
const all = (db: Database, sql: string, uid: number): Doc[] => db.query(sql).all(uid) as Doc[]
const docOf = (row: Doc): Doc => JSON.parse(String(row.doc)) as Doc
const sorted = <T extends { id: unknown }>(rows: T[]): T[] =>
  rows.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))

/** The rows of turns, items, requests and messages are what a fold of the log makes. Only for sessions at rest. */
export function expectRowsEqualFold(db: Database, { uid, first_seq, last_seq }: StoredSession): Fold {
  const events = storedLog(db, uid)
  const fold = new Fold()
  for (const event of events) fold.apply(event)
  expect(events.map((event) => event.sequence)).toEqual(events.map((_, i) => first_seq + i))
  expect(fold.lastSequence).toBe(last_seq)

  const turns = all(db, "SELECT id, started_seq, ended_seq, doc FROM turns WHERE uid = ?", uid)
  expect(
    sorted(turns.map(({ id, started_seq, ended_seq, doc }) => ({ id, started_seq, ended_seq, ...docOf({ doc }) }))),
  ).toEqual(
    sorted(
      [...fold.turns].map(([id, turn]) => ({
        id,
        started_seq: turn.startedSeq,
        ended_seq: turn.endedSeq ?? null,
        origin: turn.started.origin,
        message_ids: (turn.ended ?? turn.started).message_ids,
        stop_reason: turn.ended?.stop_reason,
      })),
    ),
  )
  const items = all(db, "SELECT id, started_seq, completed_seq, doc FROM items WHERE uid = ?", uid)
  expect(sorted(items.map((row) => ({ ...row, id: row.id, doc: docOf(row) })))).toEqual(
    sorted(
      [...fold.items].map(([id, item]) => ({
        id,
        started_seq: item.startedSeq,
        completed_seq: item.completedSeq ?? null,
        doc: item.item as unknown,
      })),
    ),
  )
  const requests = all(db, "SELECT id, kind, open, doc FROM requests WHERE uid = ?", uid)
  expect(sorted(requests.map((row) => ({ ...row, id: row.id, doc: docOf(row) })))).toEqual(
    sorted(
      [...fold.requests].map(([id, doc]) => ({
        id,
        kind: "permission_id" in doc ? "permission" : "question",
        open: doc.status === "requested" ? 1 : 0,
        doc: doc as unknown,
      })),
    ),
  )
  const messages = all(db, "SELECT id, state, doc FROM messages WHERE uid = ?", uid).map(({ id, state, doc }) => {
    const { delivery, turnId, error } = docOf({ doc })
    return { id, state, delivery, turn_id: turnId, error }
  })
  expect(sorted(messages)).toEqual(
    sorted(
      [...fold.messages].map(([id, { state, delivery, turn_id, error }]) => ({ id, state, delivery, turn_id, error })),
    ),
  )
  return fold
}
