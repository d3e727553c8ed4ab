import type { LiveDatabase, LiveStatement } from "./live-database.ts"

export type ConfigKind = "mcp" | "skills"

export interface ConfigRow {
  name: string
  /** JSON text, secrets included. */
  doc: string
}

/** What is configured for directories, in the file that only its owner can read. */
export class ConfigRows {
  constructor(private readonly db: LiveDatabase) {}

  #sql(text: string): LiveStatement {
    return this.db.query(text)
  }

  list(kind: ConfigKind, directory: string): ConfigRow[] {
    const sql = "SELECT name, doc FROM config WHERE kind = ? AND directory = ? ORDER BY name"
    return this.#sql(sql).all(kind, directory) as ConfigRow[]
  }

  get(kind: ConfigKind, directory: string, name: string): string | undefined {
    const sql = "SELECT doc FROM config WHERE kind = ? AND directory = ? AND name = ?"
    return (this.#sql(sql).get(kind, directory, name) as { doc: string } | null)?.doc
  }

  count(): number {
    return (this.#sql("SELECT count(*) AS n FROM config").get() as { n: number }).n
  }

  put(kind: ConfigKind, directory: string, name: string, doc: string): void {
    const sql = "INSERT OR REPLACE INTO config (kind, directory, name, doc) VALUES (?, ?, ?, ?)"
    this.#sql(sql).run(kind, directory, name, doc)
  }

  delete(kind: ConfigKind, directory: string, name: string): void {
    this.#sql("DELETE FROM config WHERE kind = ? AND directory = ? AND name = ?").run(kind, directory, name)
  }

  /** Whether an entry of skills, or a session that is there, has this text. */
  mentions(text: string): boolean {
    const sql = `SELECT EXISTS (SELECT 1 FROM config WHERE kind = 'skills' AND instr(doc, ?1) > 0)
      OR EXISTS (SELECT 1 FROM sessions WHERE deleted = 0 AND instr(record, ?1) > 0) AS found`
    return (this.#sql(sql).get(text) as { found: number }).found === 1
  }
}
