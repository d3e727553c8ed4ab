import { Database } from "bun:sqlite"
import { chmodSync, closeSync, mkdirSync, openSync } from "node:fs"
import { join } from "node:path"
import { lockDirectory } from "./lock.ts"
import { migrate, migrations } from "./migrations.ts"

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
  unlock: () => void
}

export function openDatabase(options: StoreOptions): OpenDatabase {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 })
  if (options.kind === "memory") {
    const db = new Database(":memory:")
    configure(db, options)
    migrate(db, migrations, () => {})
    return { db, unlock: () => {} }
  }
  const unlock = lockDirectory(options.directory)
  const path = join(options.directory, "sandbox-agent.db")
  try {
    // The file holds env and MCP secrets: readable by its owner alone. SQLite gives the WAL the same mode.
    closeSync(openSync(path, "a", 0o600))
    chmodSync(path, 0o600)
    const db = new Database(path)
    configure(db, options)
    migrate(db, migrations, (version) => db.run("VACUUM INTO ?", [`${path}.v${version}.backup-${Date.now()}`]))
    return { db, unlock }
  } catch (error) {
    unlock()
    throw error
  }
}

function configure(db: Database, options: StoreOptions): void {
  db.run("PRAGMA auto_vacuum = INCREMENTAL")
  db.run("PRAGMA journal_mode = WAL")
  db.run(`PRAGMA synchronous = ${options.fsync ? "FULL" : "NORMAL"}`)
  db.run("PRAGMA cache_size = -2048")
  db.run("PRAGMA temp_store = MEMORY")
  db.run("PRAGMA journal_size_limit = 4194304")
  if (options.maxBytes) {
    const { page_size } = db.query("PRAGMA page_size").get() as { page_size: number }
    db.run(`PRAGMA max_page_count = ${Math.max(64, Math.floor(options.maxBytes / page_size))}`)
  }
}
