import { Database } from "bun:sqlite"
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs"
import { backup, removeOldBackups } from "./backups.ts"
import { isBroken } from "./damage.ts"
import { lockDirectory } from "./lock.ts"
import { migrate, migrations } from "./migrations.ts"
import { databasePath, openError } from "./open-error.ts"
import { Redo } from "./redo.ts"
import { removeDraft, repairNow, repairText } from "./repair.ts"
import { replay } from "./replay.ts"
import { isFull, Reserve } from "./reserve.ts"

export interface StoreOptions {
  kind: "sqlite" | "memory"
  /** Created with mode 0700 if missing; also holds the agents' homes. */
  directory: string
  /** Survive power loss, not only a crash, at the price of an fsync per commit. */
  fsync?: boolean
  /** Cap on the size of the database file; at the cap the daemon goes on reading and refuses to write. */
  maxBytes?: number
}

export interface OpenDatabase {
  db: Database
  /** Where the next page of any log goes. */
  pos: number
  /** None in memory, and where there is no room for the file. */
  redo?: Redo
  /** Room on the disk that is kept for deleting; none in memory. */
  reserve?: Reserve
  /** What whoever runs the daemon has to know. */
  warnings: string[]
  unlock: () => void
}

export function openDatabase(options: StoreOptions): OpenDatabase {
  try {
    mkdirSync(options.directory, { recursive: true, mode: 0o700 })
    return options.kind === "memory" ? openMemory(options) : openFile(options)
  } catch (error) {
    throw openError(error, options.directory)
  }
}

function openMemory(options: StoreOptions): OpenDatabase {
  const db = new Database(":memory:")
  configure(db, options)
  migrate(db, migrations, () => {})
  return { db, pos: 1, warnings: [], unlock: () => {} }
}

function openFile(options: StoreOptions): OpenDatabase {
  const unlock = lockDirectory(options.directory)
  const path = databasePath(options.directory)
  try {
    // The file holds env and MCP secrets: readable by its owner alone. SQLite gives the WAL the same mode.
    closeSync(openSync(path, "a", 0o600))
    chmodSync(path, 0o600)
    removeOldBackups(path)
    removeDraft(path)
    const reserve = new Reserve(options.directory)
    const warnings: string[] = []
    const open = () => {
      const db = openAnyway(path, options, warnings)
      try {
        const number = replay(db, options.directory, reserve, warnings)
        migrateAnyway(db, path, reserve, warnings)
        return { db, pos: nextPos(db), number }
      } catch (error) {
        // One that lived on would remove the files of its successor when it ends.
        db.close()
        throw error
      }
    }
    const { db, pos, number } = withRepair(path, open, warnings)
    return { db, pos, redo: openRedo(options, number), reserve, warnings, unlock }
  } catch (error) {
    unlock()
    throw error
  }
}

function openRedo(options: StoreOptions, number: number): Redo | undefined {
  try {
    return new Redo(options.directory, number, options.fsync === true)
  } catch (error) {
    if (!isFull(error)) throw error
    return undefined
  }
}

/** What cannot even be opened is repaired, if anything can be read of it. */
function withRepair<T>(path: string, open: () => T, warnings: string[]): T {
  try {
    return open()
  } catch (error) {
    if (!isBroken(error)) throw error
    const repaired = repairNow(path)
    if (repaired === undefined) throw error
    warnings.push(repairText(repaired))
    return open()
  }
}

/** On a full disk there is no room for the memory that connections share: the file is taken for us alone. */
function openAnyway(path: string, options: StoreOptions, warnings: string[]): Database {
  let db = new Database(path)
  try {
    configure(db, options)
    db.query("SELECT count(*) FROM sqlite_schema").get()
  } catch (error) {
    db.close()
    if (!isFull(error)) throw error
    db = new Database(path)
    db.run("PRAGMA locking_mode = EXCLUSIVE")
    configure(db, options)
    warnings.push("the disk is full: nothing is written until there is room; deleting sessions makes some")
  }
  return db
}

/** Each step is one transaction and undone when it fails: where there is no room for a copy it goes without. */
function migrateAnyway(db: Database, path: string, reserve: Reserve, warnings: string[]): void {
  const copy = (version: number) => {
    try {
      backup(db, path, version)
    } catch (error) {
      if (!isFull(error)) throw error
      warnings.push(`there was no room for a copy of the store before it was brought to this version (from ${version})`)
    }
  }
  try {
    migrate(db, migrations, copy)
  } catch (error) {
    if (!isFull(error)) throw error
    reserve.release()
    migrate(db, migrations, copy)
  }
}

function nextPos(db: Database): number {
  const last = db.query("SELECT pos + count AS next FROM log ORDER BY pos DESC LIMIT 1").get() as {
    next: number
  } | null
  // The last rows may have been removed: a place that was given out must not come again.
  const given = db.query("SELECT value FROM meta WHERE key = 'pos'").get() as { value: string } | null
  return Math.max(last?.next ?? 1, Number(given?.value ?? 1))
}

/** The file anew, as it is open already. */
export function reopen(options: StoreOptions): Database {
  const db = new Database(databasePath(options.directory))
  configure(db, options)
  migrate(db, migrations, () => {})
  return db
}

function configure(db: Database, options: StoreOptions): void {
  const { page_count } = db.query("PRAGMA page_count").get() as { page_count: number }
  // Only a new file: it writes each time, also to a file of a newer version or on a full disk.
  if (page_count === 0) db.run("PRAGMA auto_vacuum = INCREMENTAL")
  db.run("PRAGMA journal_mode = WAL")
  db.run(`PRAGMA synchronous = ${options.fsync ? "FULL" : "NORMAL"}`)
  db.run("PRAGMA cache_size = -2048")
  db.run("PRAGMA temp_store = MEMORY")
  // What was deleted may be a secret: it is overwritten, not only unlinked.
  db.run("PRAGMA secure_delete = ON")
  db.run("PRAGMA journal_size_limit = 4194304")
  if (options.maxBytes) {
    const { page_size } = db.query("PRAGMA page_size").get() as { page_size: number }
    db.run(`PRAGMA max_page_count = ${Math.max(64, Math.floor(options.maxBytes / page_size))}`)
  }
}
