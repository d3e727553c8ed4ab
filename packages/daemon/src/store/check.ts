import { Database } from "bun:sqlite"
import { dirname } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { isBroken, lineSum } from "./damage.ts"
import { readableRowids } from "./readable-rowids.ts"
import { isSound, type PageRow } from "./reader.ts"
import { missingFrom } from "./replay.ts"
import { readableFile } from "./truncated-file.ts"

/** One thing that is hurt: whose it is, as far as that can be known, and what. */
export interface Finding {
  session?: string
  what: string
}

export interface StoreReport {
  path: string
  sessions: number
  events: number
  /** Commits that are in the redo file alone: the next start takes them into the database. */
  notYetIn: number
  /** What SQLite says of its own file; a repair makes a new one. */
  structure: string[]
  /** What else is not as it was written. */
  findings: Finding[]
}

/** Lines of SQLite's own check that are reported. */
const STRUCTURE_LINES = 100

/** Reads the whole store and says what of it is hurt. Changes nothing; a daemon may use it meanwhile. */
export function checkStore(path: string): StoreReport {
  const report: StoreReport = { path, sessions: 0, events: 0, notYetIn: 0, structure: [], findings: [] }
  const whole = readableFile(path)
  if (whole.readable !== path) report.structure.push("the file is shorter than it says")
  const db = new Database(whole.readable, { readwrite: true, create: false })
  try {
    db.run("PRAGMA cell_size_check = ON")
    const lines = db.query(`PRAGMA integrity_check(${STRUCTURE_LINES})`).all() as { integrity_check: string }[]
    report.structure.push(...lines.map((line) => line.integrity_check).filter((line) => line !== "ok"))
    if (report.structure.length === 0 && !isStore(db, path)) return report
    report.notYetIn = missingFrom(db, dirname(path)).length
    const names = checkSessions(db, report)
    checkLog(db, names, report)
    checkCopies(db, names, report)
  } catch (error) {
    if (!isBroken(error)) throw error
    report.structure.push(String(error instanceof Error ? error.message : error))
  } finally {
    db.close()
    whole.done()
  }
  return report
}

/** False: nothing has been written to it yet, as where the first start found no room. */
function isStore(db: Database, path: string): boolean {
  const tables = db.query("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[]
  if (tables.some(({ name }) => name === "sessions")) return true
  if (tables.length === 0) return false
  throw new SandboxAgentError("not_found", `${path} is a database of another program`, {
    hint: "name another --data-dir",
  })
}

type Names = Map<number, string>

/** Each row by itself, so that one that cannot be read hides no other. */
function* rowsOf<T>(db: Database, table: string, columns: string): Generator<T | undefined> {
  const one = db.prepare(`SELECT ${columns} FROM ${table} NOT INDEXED WHERE rowid = ?`)
  try {
    for (const rowid of readableRowids(db, table, () => {})) {
      try {
        yield (one.get(rowid) as T | null) ?? undefined
      } catch (error) {
        if (!isBroken(error)) throw error
        yield undefined
      }
    }
  } finally {
    one.finalize()
  }
}

function checkSessions(db: Database, report: StoreReport): Names {
  const names: Names = new Map()
  const columns = "uid, id, deleted, json_valid(record) AND (secrets IS NULL OR json_valid(secrets)) AS sound"
  type Row = { uid: number; id: string | null; deleted: number; sound: number }
  for (const row of rowsOf<Row>(db, "sessions", columns)) {
    if (row?.deleted) continue
    report.sessions++
    if (row !== undefined) names.set(row.uid, row.id ?? `number ${row.uid}`)
    if (row?.sound !== 1) report.findings.push({ session: row?.id ?? undefined, what: "its row is damaged" })
  }
  return names
}

function checkLog(db: Database, names: Names, report: StoreReport): void {
  const ends = endsOf(db)
  const next = new Map([...ends].map(([uid, { first }]) => [uid, first]))
  type Row = PageRow & { uid: number; raw_n: number; raw_lines: Uint8Array | null; raw_sum: number | null }
  const columns = "pos, uid, seq, count, raws, frames, sum, raw_n, raw_lines, raw_sum"
  for (const row of rowsOf<Row>(db, "log", columns)) {
    if (row === undefined) continue // seen as a gap below
    const { uid, seq, count } = row
    const found = (what: string) => report.findings.push({ session: nameOf(names, uid), what })
    const expected = next.get(uid) ?? seq
    if (seq > expected) found(`events ${expected} to ${seq - 1} are missing`)
    next.set(uid, seq + count)
    if (isSound(row)) report.events += count
    else found(`events ${seq} to ${seq + count - 1} are damaged`)
    if (row.raw_lines !== null && row.raw_sum !== null && row.raw_sum !== lineSum(row.raw_n, row.raw_lines))
      found(`native lines of events ${seq} to ${seq + count - 1} are damaged`)
  }
  for (const [uid, { last }] of ends) {
    const expected = next.get(uid) ?? 1
    if (expected <= last)
      report.findings.push({ session: nameOf(names, uid), what: `events ${expected} to ${last} are missing` })
  }
}

interface Ends {
  first: number
  last: number
}

/** What rows of sessions say of where their logs begin and end. */
function endsOf(db: Database): Map<number, Ends> {
  const ends = new Map<number, Ends>()
  type Row = Ends & { uid: number; deleted: number }
  for (const row of rowsOf<Row>(db, "sessions", "uid, deleted, first_seq AS first, last_seq AS last"))
    if (row !== undefined && !row.deleted) ends.set(row.uid, row)
  return ends
}

/** Rows that the log tells of as well are made again of it when their session is used. */
function checkCopies(db: Database, names: Names, report: StoreReport): void {
  for (const [table, again] of [
    ["items", "; it is made again of the log"],
    ["turns", "; it is made again of the log"],
    ["requests", "; it is made again of the log"],
    ["messages", ""],
  ] as const)
    for (const row of rowsOf<{ uid: number; id: string; sound: number }>(
      db,
      table,
      `uid, id, json_valid(doc)${table === "messages" ? " AND (body IS NULL OR json_valid(body))" : ""} AS sound`,
    ))
      if (row !== undefined && row.sound !== 1)
        report.findings.push({
          session: nameOf(names, row.uid),
          what: `${table.slice(0, -1)} ${row.id} is damaged${again}`,
        })
}

const nameOf = (names: Names, uid: number): string =>
  uid === 0 ? "(all sessions)" : uid < 0 ? `(ACP connection ${-uid})` : (names.get(uid) ?? `(number ${uid})`)
