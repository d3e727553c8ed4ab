import type { Database, SQLQueryBindings } from "bun:sqlite"
import { limits } from "@sandbox-agent/schema/limits"
import { isBroken } from "./damage.ts"
import { readableRowids } from "./readable-rowids.ts"

/** What became of the rows of each table. `lost` counts rows, and places at which an unknown number of rows stood. */
export type Salvaged = Record<string, { saved: number; lost: number }>

interface Table {
  name: string
  /** Without rowid: a table of small rows that is read from both ends. */
  bare: boolean
  columns: string[]
}

type Row = Record<string, SQLQueryBindings>

/**
 * Copies every row that can be read into an empty database of the same version. What lies behind a damaged page is looked
 * for from its other side. Gives way to others after some bytes.
 */
export function* salvage(from: Database, to: Database): Generator<void, Salvaged> {
  const salvaged: Salvaged = {}
  to.run("BEGIN")
  for (const table of tablesOf(from, to)) {
    const count = { saved: 0, lost: 0 }
    salvaged[table.name] = count
    const names = table.columns.join(", ")
    const marks = table.columns.map(() => "?").join(", ")
    const insert = to.prepare(`INSERT OR IGNORE INTO ${table.name} (${names}) VALUES (${marks})`)
    let bytes = 0
    for (const row of table.bare ? bareRows(from, table, count) : rows(from, table, count)) {
      const values = table.columns.map((column) => row[column] ?? null)
      if (inserted(() => insert.run(...values))) count.saved++
      else count.lost++
      bytes += sizeOf(values)
      if (bytes < limits.salvageBytes) continue
      bytes = 0
      yield
    }
    insert.finalize()
  }
  to.run("COMMIT")
  return salvaged
}

/** Those of the empty one, with the columns that both have. */
function tablesOf(from: Database, to: Database): Table[] {
  const list = to.query("SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
  const columnsOf = (db: Database, name: string) =>
    (db.query("SELECT name FROM pragma_table_info(?)").all(name) as { name: string }[]).map((column) => column.name)
  return (list.all() as { name: string; wr: number }[])
    .filter(({ name }) => !name.startsWith("sqlite_"))
    .map(({ name, wr }) => {
      const known = new Set(columnsOf(from, name))
      return { name, bare: wr === 1, columns: columnsOf(to, name).filter((column) => known.has(column)) }
    })
    .filter(({ columns }) => columns.length > 0)
}

function* rows(db: Database, { name, columns }: Table, count: { lost: number }): Generator<Row> {
  const one = db.prepare(`SELECT ${columns.join(", ")} FROM ${name} NOT INDEXED WHERE rowid = ?`)
  try {
    for (const rowid of readableRowids(db, name, () => count.lost++)) {
      const row = attempt(() => one.get(rowid) as Row | null)
      if (row) yield row
      else count.lost++
    }
  } finally {
    one.finalize()
  }
}

/** From the beginning to the damage, and from the end to it. */
function* bareRows(db: Database, { name, columns }: Table, count: { lost: number }): Generator<Row> {
  for (const order of ["ASC", "DESC"]) {
    const keys = db.query("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk").all(name)
    const sort = (keys as { name: string }[]).map((key) => `${key.name} ${order}`).join(", ")
    const found = db.prepare(`SELECT ${columns.join(", ")} FROM ${name} ORDER BY ${sort}`)
    const next = found.iterate() as IterableIterator<Row>
    try {
      for (;;) {
        const step = attempt(() => next.next())
        if (step === undefined) break
        if (step.done) return
        yield step.value
      }
      if (order === "ASC") count.lost++
    } finally {
      found.finalize()
    }
  }
}

/** Undefined where the file is damaged. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!isBroken(error)) throw error
    return undefined
  }
}

/** What was read from a damaged page may be anything. */
function inserted(insert: () => void): boolean {
  try {
    insert()
    return true
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : ""
    if (!/^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/.test(code)) throw error
    return false
  }
}

const sizeOf = (values: SQLQueryBindings[]): number =>
  values.reduce<number>(
    (sum, value) => sum + (typeof value === "string" || value instanceof Uint8Array ? value.length : 8),
    0,
  )
