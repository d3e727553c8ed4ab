import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isMusl } from "@sandbox-agent/test-agents/fetched"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { MemoryStore } from "../src/store/memory.ts"
import { PostgresStore } from "../src/store/postgres.ts"
import { migrations } from "../src/store/postgres-schema.ts"
import { SqliteStore } from "../src/store/sqlite.ts"
import { migrations as sqliteMigrations } from "../src/store/sqlite-schema.ts"
import { TestPostgres } from "./harness/postgres.ts"
import { storeSuite } from "./store-suite.ts"

const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-store-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

storeSuite("memory", async () => new MemoryStore())

let files = 0
const nextFile = () => join(folder, `${++files}.db`)
let lastFile = ""
storeSuite(
  "SQLite",
  async () => {
    lastFile = nextFile()
    return new SqliteStore(new Database(lastFile))
  },
  async () => new SqliteStore(new Database(lastFile)),
)

test("a commit does not wait for the disk, and cannot break the file", async () => {
  const db = new Database(nextFile())
  await using _ = new SqliteStore(db)
  expect(db.query("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" })
  expect(db.query("PRAGMA synchronous").get()).toEqual({ synchronous: 1 })
})

test("a database of the first version is brought up to date, with what is in it", async () => {
  const file = nextFile()
  const db = new Database(file)
  db.exec(`${sqliteMigrations[0]}; PRAGMA user_version = 1; INSERT INTO sessions (sandbox, id, created_at, agent, info)
    VALUES ('box', 's', '2026-11-16T10:00:00.000Z', 'mock', '{"id":"s"}')`)
  db.close()
  await using store = new SqliteStore(new Database(file))
  expect(await store.get({ sandbox: "box", id: "s" })).toMatchObject({ info: { id: "s" } })
  expect(await store.blob({ sandbox: "box", id: "s" }, "a".repeat(64))).toBeUndefined()
})

test("a database of a newer version is refused, and left as it is", async () => {
  const file = nextFile()
  await new SqliteStore(new Database(file)).close()
  using db = new Database(file)
  db.exec("PRAGMA user_version = 99")
  expect(() => new SqliteStore(new Database(file))).toThrow("version 99")
  expect(db.query("PRAGMA user_version").get()).toEqual({ user_version: 99 })
})

describe.skipIf(isMusl)("with a real Postgres", () => {
  let postgres: TestPostgres
  let schemas = 0
  beforeAll(async () => {
    postgres = await TestPostgres.start()
  }, 300_000)
  afterAll(() => postgres?.[Symbol.asyncDispose]())

  storeSuite(
    "Postgres",
    async () => PostgresStore.open(await postgres.pool(), { schema: `store_${++schemas}` }),
    async () => PostgresStore.open(await postgres.pool(), { schema: `store_${schemas}` }),
  )

  test("a database of the first version is brought up to date, with what is in it", async () => {
    const pool = await postgres.pool()
    const sql = (text: string) => pool.query(text.replaceAll("$schema", "old"))
    await sql("CREATE SCHEMA $schema; CREATE TABLE $schema.version (version int NOT NULL)")
    await sql(migrations[0] ?? "")
    await sql("INSERT INTO $schema.version VALUES (1)")
    await sql(`CREATE TABLE $schema.texts_2026_11 PARTITION OF $schema.texts FOR VALUES IN ('2026-11');
      INSERT INTO $schema.sessions (sandbox, id, created_at, month, agent, info)
        VALUES ('box', 's', '2026-11-16T10:00:00.000Z', '2026-11', 'mock', '{"id":"s"}');
      INSERT INTO $schema.texts VALUES ('2026-11', 1, 7, 'said before', array_to_tsvector(ARRAY['said', 'before']))`)
    await using store = await PostgresStore.open(pool, { schema: "old" })
    expect(await store.search("bef", { sandbox: "box" })).toMatchObject([{ sequence: 7, session: { id: "s" } }])
    expect(await store.search("bef", { sandbox: "other" })).toEqual([])
  })

  test("several begin at once on an empty database, and a newer one is refused", async () => {
    const schema = "many"
    const opened = await Promise.all(
      Array.from({ length: 4 }, async () => PostgresStore.open(await postgres.pool(), { schema })),
    )
    await Promise.all(opened.map((store) => store.close()))
    const pool = await postgres.pool()
    await pool.query("UPDATE many.version SET version = 99")
    await expect(PostgresStore.open(pool, { schema })).rejects.toMatchObject({ code: "version" })
    await expect(PostgresStore.open(pool, { schema: "x; DROP" })).rejects.toMatchObject({ kind: "argument" })
    await pool.end()
  })
})
