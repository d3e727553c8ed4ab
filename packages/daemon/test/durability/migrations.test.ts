import { Database } from "bun:sqlite"
import { chmodSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { backup } from "../../src/store/backups.ts"
import { migrate, migrations } from "../../src/store/migrations.ts"
import { Store } from "../../src/store/store.ts"
import { startDaemon } from "../harness/daemon.ts"
import { databaseFile, keptDirectory, withDatabase } from "./database.ts"
import { refused } from "./refused.ts"

const version = (db: Database): number =>
  (db.query("PRAGMA user_version").get() as { user_version: number }).user_version
const tables = (db: Database): string[] =>
  (db.query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all() as { name: string }[]).map(
    (row) => row.name,
  )
const noBackup = () => {
  throw new Error("nothing to copy")
}

test("an empty file is brought to the present version, without a copy, and a second time changes nothing", () => {
  const db = new Database(join(keptDirectory(), "new.db"))
  migrate(db, migrations, noBackup)
  expect([version(db), tables(db).includes("sessions")]).toEqual([migrations.length, true])
  const before = tables(db)
  migrate(db, migrations, noBackup)
  expect([version(db), tables(db)]).toEqual([migrations.length, before])
})

const steps = [
  "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
  "ALTER TABLE notes ADD COLUMN words INTEGER; UPDATE notes SET words = length(text) - length(replace(text, ' ', '')) + 1",
  "CREATE TABLE other (id INTEGER PRIMARY KEY); INSERT INTO other SELECT id FROM notes",
]

function older(directory: string): { db: Database; path: string } {
  const path = join(directory, "older.db")
  const db = new Database(path)
  migrate(db, steps.slice(0, 1), noBackup)
  db.run("INSERT INTO notes (text) VALUES ('one two'), ('three')")
  return { db, path }
}

test("an older file keeps its data and takes only the steps it lacks; a copy is made once, before the first", () => {
  const { db } = older(keptDirectory())
  const copies: { version: number; columns: number }[] = []
  migrate(db, steps, (from) =>
    copies.push({ version: from, columns: db.query("SELECT * FROM notes").columnNames.length }),
  )
  expect(copies).toEqual([{ version: 1, columns: 2 }])
  expect(version(db)).toBe(3)
  expect(db.query("SELECT text, words FROM notes").all()).toEqual([
    { text: "one two", words: 2 },
    { text: "three", words: 1 },
  ])
  expect(db.query("SELECT count(*) AS n FROM other").get()).toEqual({ n: 2 })
})

test("a step that fails is undone whole; the steps before it stand, and the next start goes on from there", () => {
  const { db } = older(keptDirectory())
  const broken = [...steps, "CREATE TABLE half (id); INSERT INTO half VALUES (1); INSERT INTO nowhere VALUES (1)"]
  expect(() => migrate(db, broken, () => {})).toThrow(/nowhere/)
  expect([version(db), tables(db)]).toEqual([3, ["notes", "other"]])
  migrate(db, [...steps, "CREATE TABLE whole (id)"], () => {})
  expect([version(db), tables(db)]).toEqual([4, ["notes", "other", "whole"]])
})

test("a file that the first step cannot change is left as it was", () => {
  const { db, path } = older(keptDirectory())
  const before = readFileSync(path)
  expect(() => migrate(db, [steps[0] ?? "", "ALTER TABLE nowhere ADD COLUMN x"], () => {})).toThrow()
  db.close()
  expect(readFileSync(path).equals(before)).toBe(true)
})

test("the copy holds the old data, nobody else can read it, and a step that keeps failing makes no second one", () => {
  const directory = keptDirectory()
  const { db, path } = older(directory)
  chmodSync(directory, 0o755)
  for (let start = 0; start < 3; start++)
    expect(() => migrate(db, [steps[0] ?? "", "DROP TABLE nowhere"], (from) => backup(db, path, from))).toThrow()
  migrate(db, steps, (from) => backup(db, path, from))
  const [copy = "", ...more] = readdirSync(directory).filter((name) => name !== "older.db")
  expect([copy, more]).toEqual(["older.db.v1.backup", []])
  expect(statSync(join(directory, copy)).mode & 0o777).toBe(0o600)
  const old = new Database(join(directory, copy))
  expect([version(old), old.query("SELECT * FROM notes").all()]).toEqual([
    1,
    [
      { id: 1, text: "one two" },
      { id: 2, text: "three" },
    ],
  ])
})

test("a file of a newer version is refused by name, with a non-zero exit, and stays as it was", async () => {
  const directory = keptDirectory()
  new Store({ kind: "sqlite", directory }).close()
  withDatabase(directory, (db) => {
    db.run(`PRAGMA user_version = ${migrations.length + 1}`)
    db.run("PRAGMA wal_checkpoint(TRUNCATE)")
  })
  const before = readFileSync(databaseFile(directory))
  const { code, stderr } = await refused(directory)
  expect(code).toBe(9)
  expect(stderr).toContain(
    `written by a newer version (schema ${migrations.length + 1}, this one knows ${migrations.length})`,
  )
  expect(stderr).not.toMatch(/\bat .+\.ts:\d+/)
  expect(readFileSync(databaseFile(directory)).equals(before)).toBe(true)
})

/** A real database of some size, then damaged. */
async function damaged(how: (path: string) => void): Promise<{ directory: string; path: string; before: Buffer }> {
  const directory = keptDirectory()
  await using daemon = await startDaemon({ dataDir: directory })
  await daemon.api.create("one")
  await daemon.api.turn("one", "/stream 3000")
  await daemon.stop()
  const path = databaseFile(directory)
  how(path)
  return { directory, path, before: readFileSync(path) }
}

test.each([
  ["cut inside a page", (path: string) => truncateSync(path, 5_000)],
  [
    "not a database",
    (path: string) =>
      writeFileSync(
        path,
        "this is no database at all, but it is longer than a header of one hundred bytes".repeat(100),
      ),
  ],
  ["zeroed behind its header", (path: string) => writeFileSync(path, readFileSync(path).fill(0, 100))],
])("a file that is %s is refused by name, with a non-zero exit, and stays as it was", async (_, how) => {
  const { directory, path, before } = await damaged(how)
  const { code, stderr } = await refused(directory)
  expect(code).toBe(9)
  expect(stderr).toContain(path)
  expect(stderr).toMatch(/damaged|not a database/)
  expect(stderr).not.toMatch(/\bat .+\.ts:\d+|please report/)
  expect(readFileSync(path).equals(before)).toBe(true)
})

test("of a file that is half written all that is left is saved, and the file is kept beside", async () => {
  const { directory, before } = await damaged((path) =>
    truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096),
  )
  await using daemon = await startDaemon({ dataDir: directory })
  expect(daemon.stderr()).toContain("the store was damaged and has been repaired")
  const { sessions } = await daemon.api.ok<{ sessions: { id: string }[] }>("GET", "/v1/sessions")
  expect(sessions.map(({ id }) => id)).toEqual(["one"])
  await daemon.api.turn("one", "goes on")
  const [kept = "", ...more] = readdirSync(directory).filter((name) => /damaged|repair|whole/.test(name))
  expect([more, readFileSync(join(directory, kept)).equals(before)]).toEqual([[], true])
})

test("a data directory that is a file, or lies below one, is refused by name", async () => {
  const file = join(keptDirectory(), "file")
  writeFileSync(file, "mine")
  for (const path of [file, join(file, "below")]) {
    const { code, stderr } = await refused(path)
    expect(code).toBe(9)
    expect(stderr).toContain(`the data directory ${path} cannot be used`)
    expect(stderr).not.toMatch(/\bat .+\.ts:\d+|please report/)
  }
  expect(readFileSync(file, "utf8")).toBe("mine")
})
