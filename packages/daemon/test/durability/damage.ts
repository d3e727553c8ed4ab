import { closeSync, openSync, readFileSync, writeSync } from "node:fs"
import { databaseFile, withDatabase } from "./database.ts"

const PAGE = 4096

export interface Hurt {
  /** Sequences of the row whose text was overwritten. */
  first: number
  last: number
}

/** Overwrites bytes of the file itself, whether or not a daemon has it open. */
export function overwrite(path: string, at: number, bytes: Uint8Array): void {
  const file = openSync(path, "r+")
  try {
    writeSync(file, bytes, 0, bytes.length, at)
  } finally {
    closeSync(file)
  }
}

/** Overwrites one block of event text in the middle of a session's log. SQLite sees nothing wrong: the text is not its business. */
export function damageFrames(dataDir: string, id: string, column: "frames" | "raw_lines" = "frames"): Hurt {
  const rows = withDatabase(
    dataDir,
    (db) =>
      db
        .query(
          `SELECT seq, count, ${column} AS bytes FROM log WHERE uid = (SELECT uid FROM sessions WHERE id = ?)
           AND length(${column}) > ${5 * PAGE} ORDER BY seq`,
        )
        .all(id) as { seq: number; count: number; bytes: Uint8Array }[],
  )
  const row = rows[Math.floor(rows.length / 2)]
  if (row === undefined) throw new Error(`no row of ${id} is large enough`)
  const file = readFileSync(databaseFile(dataDir))
  // Text that stands in one block; the block after a pointer to the next one is nothing but text.
  const at = file.indexOf(row.bytes.subarray(3 * PAGE, 3 * PAGE + 64))
  if (at < 0) throw new Error("the text is not in the file")
  const block = Math.floor(at / PAGE) * PAGE
  overwrite(databaseFile(dataDir), block + 4, new Uint8Array(PAGE - 4).fill(120))
  const check = withDatabase(dataDir, (db) => db.query("PRAGMA integrity_check").get())
  if (JSON.stringify(check) !== '{"integrity_check":"ok"}') throw new Error(`SQLite noticed: ${JSON.stringify(check)}`)
  return { first: row.seq, last: row.seq + row.count - 1 }
}

/** Numbers of the pages at the end of a tree, where its rows or entries stand. */
export function leavesOf(dataDir: string, name: string): number[] {
  const sql = "SELECT rootpage AS root FROM sqlite_schema WHERE name = ?"
  const found = withDatabase(dataDir, (db) => db.query(sql).get(name)) as { root: number } | null
  const root = found?.root ?? 1 // the list of tables itself
  const file = readFileSync(databaseFile(dataDir))
  const below = (page: number): number[] => {
    const at = page === 1 ? 100 : (page - 1) * PAGE
    const isInterior = file[at] === 2 || file[at] === 5
    if (!isInterior) return [page]
    const cells = file.readUInt16BE(at + 3)
    const children = Array.from({ length: cells }, (_, i) =>
      file.readUInt32BE((page - 1) * PAGE + file.readUInt16BE(at + 12 + 2 * i)),
    )
    return [...children, file.readUInt32BE(at + 8)].flatMap(below)
  }
  return below(root)
}

/** Overwrites a whole page: SQLite knows as soon as it meets it. */
export const damagePage = (dataDir: string, page: number): void =>
  overwrite(databaseFile(dataDir), (page - 1) * PAGE, new Uint8Array(PAGE).fill(120))
