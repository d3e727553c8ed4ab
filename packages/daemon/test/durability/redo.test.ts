import { Database } from "bun:sqlite"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, onTestFinished, test } from "vitest"
import { Log } from "../../src/store/log.ts"
import { offlineCheck } from "../../src/store/offline-check.ts"
import { LogReader } from "../../src/store/reader.ts"
import { redoPath } from "../../src/store/redo.ts"
import { decodeRecords } from "../../src/store/redo-record.ts"
import { repairNow } from "../../src/store/repair.ts"
import type { MessageRow } from "../../src/store/row-types.ts"
import { Rows } from "../../src/store/rows.ts"
import { Store } from "../../src/store/store.ts"
import { cli } from "../cli/spawn.ts"
import { startDaemon } from "../harness/daemon.ts"
import { databaseFile, keptDirectory, withDatabase } from "./database.ts"

const message = (id: string, ord: number): MessageRow => ({
  id,
  ord,
  state: "queued",
  text: `said by ${id} – “ü”`,
  attachments: [],
  delivery: "queue",
  turnId: "t",
})

/** A store that writes small commits, each an event and a row; what a kill would leave of it now can be looked at. */
function opened() {
  const directory = keptDirectory()
  const store = new Store({ kind: "sqlite", directory })
  onTestFinished(() => store.close())
  const log = new Log(1)
  const rows = new Rows(store.db)
  let n = 0
  const commit = () => {
    n++
    const row = message(`m${n}`, n)
    store.append(log, n, JSON.stringify({ n, text: "ü".repeat(n) }), n)
    store.raw(log, n, "<", `native line ${n}`)
    store.saveRow(row.id, () => rows.saveMessage(1, row))
    store.flush()
  }
  return { directory, store, log, rows, commit }
}

/** The files as they are now, as another machine would get them. */
function copied(directory: string): string {
  const copy = keptDirectory()
  for (const name of ["sandbox-agent.db", "sandbox-agent.db-wal", "sandbox-agent.redo"])
    if (existsSync(join(directory, name))) cpSync(join(directory, name), join(copy, name))
  return copy
}

/** What a store that is opened on these files has. */
function found(directory: string): { events: number[]; messages: (string | undefined)[]; warnings: readonly string[] } {
  const store = new Store({ kind: "sqlite", directory })
  try {
    const log = new Log(1)
    const rows = new Rows(store.db)
    log.last = rows.logBounds(1).last
    const events = new LogReader(store.db).texts(log, 0, 1_000).map(({ sequence }) => sequence)
    return { events, messages: rows.openMessages(1).map(({ text }) => text), warnings: store.warnings }
  } finally {
    store.close()
  }
}

const upTo = (n: number) => ({
  events: Array.from({ length: n }, (_, i) => i + 1),
  messages: Array.from({ length: n }, (_, i) => message(`m${i + 1}`, i + 1).text),
  warnings: [],
})

const inDatabase = (directory: string): number =>
  withDatabase(copied(directory), (db) => (db.query("SELECT count(*) AS n FROM log").get() as { n: number }).n)

test("what is told is in the redo file before it is in the database, and a start brings it there", () => {
  const { directory, store, log, commit } = opened()
  const atWaking: unknown[] = []
  log.waiting.add(() => atWaking.push([log.last, inDatabase(directory), found(copied(directory)).events.length]))
  commit()
  commit()
  expect(atWaking).toEqual([[1, 0, 1]])
  expect(found(copied(directory))).toEqual(upTo(2))
  store.close()
  expect(existsSync(redoPath(directory))).toBe(false)
  expect(found(directory)).toEqual(upTo(2))
})

test("a check of the store says what is in the redo file alone, and leaves it there", async () => {
  const { directory, rows, commit } = opened()
  commit()
  commit()
  const left = copied(directory)
  const check = (...flags: string[]) => cli(["store", "check", "--data-dir", left, ...flags])
  const { code, stdout } = await check()
  expect([code, stdout.split("\n").at(-2)]).toEqual([
    0,
    `${redoPath(left)}: 2 commits more, which the daemon takes over when it starts`,
  ])
  expect(JSON.parse((await check("--json")).stdout)).toMatchObject({ sound: true, events: 0, notYetIn: 2 })
  expect(found(left)).toEqual(upTo(2))
  expect((await check()).stdout).toMatch(/: sound \(\d sessions?, 2 events\)\n$/)
  // One that is brought in still stands in the file.
  expect(rows.message(1, "m2")).toBeDefined()
  expect(offlineCheck(copied(directory), false).after).toMatchObject({ events: 2, notYetIn: 0 })
})

test("whoever reads finds it, and nothing is brought in twice", () => {
  const { directory, rows, commit } = opened()
  for (let n = 1; n <= 3; n++) commit()
  expect(rows.message(1, "m3")).toEqual(message("m3", 3))
  expect(inDatabase(directory)).toBe(3)
  // The file still has what the database has now.
  expect([...decodeRecords(readFileSync(redoPath(directory)))].length).toBe(3)
  expect(found(copied(directory))).toEqual(upTo(3))
})

test("behind new records old ones do not count", () => {
  const { directory, rows, commit } = opened()
  for (let n = 1; n <= 4; n++) commit()
  rows.message(1, "m1")
  commit()
  expect(inDatabase(directory)).toBe(4)
  expect(found(copied(directory))).toEqual(upTo(5))
})

test("wherever a kill cut the file, each commit is there whole or not at all", () => {
  const { directory, commit } = opened()
  const ends = [0]
  for (let n = 1; n <= 3; n++) {
    commit()
    ends.push(readFileSync(redoPath(directory)).length)
  }
  const left = copied(directory)
  const whole = readFileSync(redoPath(left))
  for (let length = 0; length <= whole.length; length += 7) {
    const cut = copied(left)
    truncateSync(redoPath(cut), length)
    expect(found(cut), String(length)).toEqual(upTo(ends.filter((end) => end > 0 && end <= length).length))
  }
  expect(found(left)).toEqual(upTo(3))
}, 60_000)

test("a record that was damaged counts no more, nor do those behind it", () => {
  const { directory, commit } = opened()
  commit()
  const first = readFileSync(redoPath(directory)).length
  commit()
  const second = readFileSync(redoPath(directory)).length
  commit()
  const left = copied(directory)
  const bytes = readFileSync(redoPath(left))
  for (let at = 0; at < bytes.length; at += at < 24 || (at >= first && at < first + 24) ? 1 : 61)
    // The highest bit of a number is its sign.
    for (const bit of [0x20, 0x80]) {
      const hurt = copied(left)
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ bit
      writeFileSync(redoPath(hurt), changed)
      const { events } = found(hurt)
      expect(events.length, `byte ${at}, bit ${bit}`).toBe(at < first ? 0 : at < second ? 1 : 2)
    }
}, 60_000)

test("a file that is ahead of the database by more than it has is left out, and that is told", () => {
  const { directory, rows, commit } = opened()
  commit()
  rows.message(1, "m1")
  const before = copied(directory)
  commit()
  rows.message(1, "m2")
  commit()
  cpSync(redoPath(directory), redoPath(before))
  expect(found(before)).toEqual({ ...upTo(1), warnings: [expect.stringContaining("what came before them is lost")] })
})

test("the same where what is missing went into the database by itself", () => {
  const { directory, store, rows, commit } = opened()
  commit()
  rows.message(1, "m1")
  const before = copied(directory)
  store.write(() => {})
  store.flush()
  commit()
  cpSync(redoPath(directory), redoPath(before))
  expect(found(before)).toEqual({ ...upTo(1), warnings: [expect.stringContaining("what came before them is lost")] })
})

test("a redo file beside a database that is new belongs to another one", () => {
  const { directory, commit } = opened()
  commit()
  const alone = keptDirectory()
  cpSync(redoPath(directory), redoPath(alone))
  expect(found(alone)).toEqual(upTo(0))
})

test("a folder in its place is left alone, and the error names the directory", () => {
  const directory = keptDirectory()
  mkdirSync(redoPath(directory))
  writeFileSync(join(redoPath(directory), "mine"), "")
  expect(() => new Store({ kind: "sqlite", directory })).toThrow(`the data directory ${directory} cannot be used`)
  expect(readdirSync(redoPath(directory))).toEqual(["mine"])
})

test("whatever else stands in its place, the daemon starts", () => {
  const { directory, store, commit } = opened()
  commit()
  store.close()
  const others: Record<string, (path: string) => void> = {
    "a pipe": (path) => execFileSync("mkfifo", [path]),
    "a link to a device": (path) => symlinkSync("/dev/zero", path),
    "other bytes": (path) => writeFileSync(path, randomBytes(10_000)),
    nothing: (path) => writeFileSync(path, ""),
  }
  for (const [name, put] of Object.entries(others)) {
    const left = copied(directory)
    put(redoPath(left))
    expect(found(left), name).toEqual(upTo(1))
  }
})

test("what cannot be brought in is kept aside, and the daemon starts", () => {
  const { directory, commit } = opened()
  commit()
  const left = copied(directory)
  withDatabase(left, (db) => db.run("INSERT INTO log (pos, uid, seq, count, size, frames) VALUES (1, 9, 1, 1, 0, '')"))
  const store = new Store({ kind: "sqlite", directory: left })
  const refused = () => readdirSync(left).filter((name) => name.includes("redo.refused"))
  expect(refused().length).toBe(1)
  expect(store.warnings).toEqual([expect.stringContaining(join(left, refused()[0] ?? ""))])
  // What comes next is none of it.
  store.append(new Log(1), 1, "{}", 0)
  store.flush()
  expect(found(copied(left)).warnings).toEqual([])
  // It may have what is deleted.
  store.scrub()
  expect(refused()).toEqual([])
  store.close()
})

/** As if damage were found; resolves when the store has another file. */
const repairOf = (store: Store): Promise<unknown> =>
  new Promise((resolve) => {
    store.onRepaired = resolve
    store.suspect(Object.assign(new Error("malformed"), { code: "SQLITE_CORRUPT" }))
  })

test("a repair knows what was brought in, also of a store in use", async () => {
  const { directory, store, rows, commit } = opened()
  for (let n = 1; n <= 3; n++) commit()
  rows.message(1, "m1")
  commit()
  const left = copied(directory)
  expect(repairNow(databaseFile(left))?.salvaged.meta?.lost).toBe(0)
  expect(found(left)).toEqual(upTo(4))
  const repaired = repairOf(store)
  expect(rows.openMessages(1).length).toBe(3)
  await repaired
  expect(rows.openMessages(1).length).toBe(4)
  commit()
  expect(found(copied(directory))).toEqual(upTo(5))
})

test("a repair that lost the count of it does no harm", async () => {
  const { directory, store, rows, commit } = opened()
  for (let n = 1; n <= 3; n++) commit()
  rows.message(1, "m1")
  withDatabase(directory, (db) => db.run("DELETE FROM meta WHERE key = 'redo'"))
  await repairOf(store)
  commit()
  expect(found(copied(directory))).toEqual(upTo(4))
})

test("a start that finds the database taken leaves the file for the next one", () => {
  const { directory, commit } = opened()
  commit()
  const left = copied(directory)
  const other = new Database(databaseFile(left))
  other.run("BEGIN IMMEDIATE")
  expect(() => new Store({ kind: "sqlite", directory: left })).toThrow("locked")
  other.close()
  expect(found(left)).toEqual(upTo(1))
})

test("the file of a newer version is left alone", () => {
  const { directory, commit } = opened()
  commit()
  const left = copied(directory)
  withDatabase(left, (db) => db.run("PRAGMA user_version = 999"))
  const before = readFileSync(redoPath(left))
  expect(() => new Store({ kind: "sqlite", directory: left })).toThrow("newer version")
  expect(readFileSync(redoPath(left))).toEqual(before)
})

test("a closed store writes nothing any more", () => {
  const { directory, store, log, commit } = opened()
  commit()
  store.close()
  store.append(log, 2, "{}", 0)
  store.flush()
  expect([log.last, existsSync(redoPath(directory))]).toEqual([1, false])
})

test("what is large, or more than rows, goes into the database at once, after what came before", () => {
  const { directory, store, log, commit } = opened()
  commit()
  store.append(log, 2, JSON.stringify("x".repeat(limits.redoCommitChars)), 0)
  store.flush()
  expect(inDatabase(directory)).toBe(2)
  store.append(log, 3, "{}", 0)
  store.write(() => store.db.run("INSERT INTO meta (key, value) VALUES ('row', 'written')"))
  store.flush()
  expect(inDatabase(directory)).toBe(3)
  expect(found(copied(directory)).events).toEqual([1, 2, 3])
})

test("while the database takes nothing, reading goes on, and later nothing overtakes what came before", async () => {
  const { directory, store, log, rows, commit } = opened()
  commit()
  const other = new Database(databaseFile(directory))
  onTestFinished(() => other.close())
  other.run("BEGIN IMMEDIATE")
  expect(rows.message(1, "m1")).toBeUndefined()
  expect([store.stats.failures, log.last]).toEqual([1, 1])
  store.append(log, 2, JSON.stringify("x".repeat(limits.redoCommitChars)), 0)
  store.flush()
  expect([store.stats.failures, log.last, found(copied(directory)).events]).toEqual([2, 1, [1]])
  expect(store.settle()).toBe(false)
  other.run("ROLLBACK")
  store.flush()
  expect([log.last, inDatabase(directory), rows.message(1, "m1")?.id]).toEqual([2, 2, "m1"])
  other.run("BEGIN IMMEDIATE")
  store.append(log, 3, "{}", 0)
  await store.committed()
  expect(inDatabase(directory)).toBe(2)
  expect(new LogReader(store.db).texts(log, 0, 10).map(({ sequence }) => sequence)).toEqual([1, 2, 3])
  other.run("ROLLBACK")
  await expect.poll(() => inDatabase(directory)).toBe(3)
})

test("a row that cannot be written keeps its commit back until it can", () => {
  const { directory, store, log, commit } = opened()
  commit()
  store.append(log, 2, "{}", 0)
  store.saveRow("row", () => {
    throw new Error("not now")
  })
  store.flush()
  expect([store.stats.failures, log.last, found(copied(directory)).events]).toEqual([1, 1, [1]])
  store.saveRow("row", () => {})
  store.flush()
  expect([log.last, found(copied(directory)).events]).toEqual([2, [1, 2]])
})

test("with fsync it is the same", () => {
  const directory = keptDirectory()
  const store = new Store({ kind: "sqlite", directory, fsync: true })
  onTestFinished(() => store.close())
  store.append(new Log(1), 1, "{}", 0)
  store.flush()
  expect(inDatabase(directory)).toBe(0)
  expect(found(copied(directory)).events).toEqual([1])
})

test("a kill right after the answer loses nothing of it", async () => {
  const dataDir = keptDirectory()
  const said: string[] = []
  for (let round = 0; round < 3; round++) {
    await using daemon = await startDaemon({ dataDir })
    const { api } = daemon
    if (round === 0) await api.create("killed")
    await api.send("killed", "/permission echo waits")
    const { messageId } = await api.send("killed", `waits ${round}`)
    said.push(messageId)
    daemon.kill("SIGKILL")
    await daemon.exited
  }
  await using daemon = await startDaemon({ dataDir })
  const events = await daemon.api.events("killed")
  const told = events.flatMap((event) => (event.type === "message.updated" ? [event.data.message_id] : []))
  expect(said.filter((id) => !told.includes(id))).toEqual([])
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1))
})
