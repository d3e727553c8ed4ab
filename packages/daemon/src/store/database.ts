import { Database } from "bun:sqlite"
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs"
import { lockDirectory } from "./lock.ts"
import { migrate, migrations } from "./migrations.ts"
import { databasePath, openError } from "./open-error.ts"

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
  return { db, pos: 1, unlock: () => {} }
}

function openFile(options: StoreOptions): OpenDatabase {
  const unlock = lockDirectory(options.directory)
  const path = databasePath(options.directory)
  try {
    // The file holds env and MCP secrets: readable by its owner alone. SQLite gives the WAL the same mode.
    closeSync(openSync(path, "a", 0o600))
    chmodSync(path, 0o600)
    const db = new Database(path)
    configure(db, options)
    migrate(db, migrations, (version) => backup(db, path, version))
    return { db, pos: nextPos(db), unlock }
  } catch (error) {
    unlock()
    throw error
  }
}

/** A copy beside the file, as secret as the file itself. One per version: a migration that keeps failing adds no more. */
export function backup(db: Database, path: string, version: number): void {
  const copy = `${path}.v${version}.backup`
  if (existsSync(copy)) return
  const draft = `${copy}.${process.pid}`
  rmSync(draft, { force: true })
  closeSync(openSync(draft, "wx", 0o600))
  db.run("VACUUM INTO ?", [draft])
  renameSync(draft, copy)
}

function nextPos(db: Database): number {
  const last = db.query("SELECT pos + count AS pos FROM log ORDER BY pos DESC LIMIT 1").get() as { pos: number } | null
  // The last rows may have been removed: a place that was given out must not come again.
  const given = db.query("SELECT value FROM meta WHERE key = 'pos'").get() as { value: string } | null
  return Math.max(last?.pos ?? 1, Number(given?.value ?? 1))
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
