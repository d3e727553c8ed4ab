import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { changeWhenFull } from "../../src/store/change-when-full.ts"
import { Log } from "../../src/store/log.ts"
import { purgeStep } from "../../src/store/purge.ts"
import { Purger } from "../../src/store/purger.ts"
import { LogReader } from "../../src/store/reader.ts"
import { repair } from "../../src/store/repair.ts"
import { Reserve } from "../../src/store/reserve.ts"
import { Store } from "../../src/store/store.ts"
import { setStage } from "../core/stage.ts"
import { scratch } from "../harness/daemon.ts"
import { overfill } from "./overfill.ts"

function open() {
  const directory = scratch()
  const store = new Store({ kind: "memory", directory })
  const close = () => {
    store.close()
    rmSync(directory, { recursive: true, force: true })
  }
  const log = new Log(1)
  let last = 0
  const append = (length: number) => store.append(log, ++last, JSON.stringify("x".repeat(length)), 0)
  const pages = () =>
    store.db.query("SELECT count, size FROM log ORDER BY seq").all() as { count: number; size: number }[]
  return { store, log, append, pages, reader: new LogReader(store.db), [Symbol.dispose]: close }
}

overfill(["flushEvents", "flushChars"], "no page of a commit holds more", () => {
  using it = open()
  for (let i = 0; i < limits.flushEvents * 2 + 1; i++) it.append(1)
  it.store.flush()
  expect(it.pages().map(({ count }) => count)).toEqual([limits.flushEvents, limits.flushEvents, 1])
  for (let i = 0; i < 6; i++) it.append(limits.flushChars / 2)
  it.store.flush()
  expect(
    it
      .pages()
      .slice(3)
      .map(({ count }) => count),
  ).toEqual([2, 2, 2])
})

overfill(
  ["flushEvents"],
  "what has gathered is committed between two lines, without waiting for the tick's end",
  async () => {
    await using stage = await setStage()
    await stage.running()
    const committed = stage.session.log.last
    for (let i = 0; i < limits.flushEvents; i++) stage.say(() => stage.sink.delta("a", { index: 0, type: "text" }, "x"))
    expect(stage.session.log.last - committed).toBeGreaterThanOrEqual(limits.flushEvents)
  },
)

overfill(["pendingChars"], "beyond it there is no room, until the commit", async () => {
  using it = open()
  it.append(limits.pendingChars - 100)
  expect(it.store.room(it.log)).toBeUndefined()
  it.append(100)
  const room = it.store.room(it.log)
  expect(room).toBeInstanceOf(Promise)
  await room // by the commit at the end of the tick
  expect(it.store.room(it.log)).toBeUndefined()
  expect(it.log.last).toBe(2)
})

overfill(["tailBytes"], "the memory kept for readers is bounded, the rest comes from the database", () => {
  using it = open()
  const pages = 8
  for (let i = 0; i < pages; i++) {
    it.append(limits.tailBytes / 4)
    it.store.flush()
  }
  const inMemory = Array.from({ length: pages }, (_, cursor) => it.log.fromTail(cursor)?.bytes.length ?? 0)
  expect(inMemory.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(limits.tailBytes)
  expect([inMemory[0], inMemory.at(-1)]).toEqual([0, expect.any(Number)])
  expect(it.reader.next(it.log, 0)?.first).toBe(1)
})

overfill(["tailBytes"], "native lines that are kept with the events are counted", () => {
  using it = open()
  const log = new Log(2, true)
  for (let i = 1; i <= 8; i++) {
    it.store.raw(log, i, "<", "x".repeat(limits.tailBytes / 4))
    it.store.append(log, i, "{}", i)
    it.store.flush()
  }
  const inMemory = Array.from({ length: 8 }, (_, cursor) => log.fromTail(cursor)?.lines?.bytes.length ?? 0)
  expect(inMemory.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(limits.tailBytes)
  expect(inMemory.at(-1)).toBeGreaterThan(limits.tailBytes / 4)
})

overfill(["readerPageBytes"], "a step of a reader takes no more, whatever waits for it", () => {
  using it = open()
  for (let i = 0; i < 100; i++) {
    it.append(limits.readerPageBytes / 10)
    it.store.flush()
  }
  it.log.dropTail()
  let steps = 0
  for (let cursor = 0; cursor < it.log.last; steps++) {
    const run = it.reader.next(it.log, cursor)
    expect(run?.bytes.length).toBeLessThanOrEqual(limits.readerPageBytes)
    cursor = run?.last ?? it.log.last
  }
  expect(steps).toBeGreaterThan(10)
})

test("what a commit wrote is told: events and native lines", () => {
  using it = open()
  const reported: number[] = []
  it.store.onWritten = (bytes) => reported.push(bytes)
  it.append(1_000)
  it.store.raw(it.log, 1, "<", "x".repeat(500))
  it.store.flush()
  it.append(1)
  it.store.flush()
  expect(reported).toEqual([expect.any(Number), expect.any(Number)])
  expect(reported[0]).toBeGreaterThan(1_500)
  expect(reported[1]).toBeLessThan(100)
  it.store.shrink()
  expect(it.reader.texts(it.log, 0, 10)).toHaveLength(2)
})

overfill(["storeReservePages"], "deleting may use so many pages beyond the cap, and not one more", () => {
  using it = open()
  const { db } = it.store
  const pagesNow = () => (db.query("PRAGMA page_count").get() as { page_count: number }).page_count
  db.run("PRAGMA incremental_vacuum") // a migration may have left a free page
  const cap = pagesNow()
  db.run(`PRAGMA max_page_count = ${cap}`)
  const use = (pages: number) => () =>
    db.run("INSERT INTO blobs (hash, bytes) VALUES (?, zeroblob(?))", [pages, pages * 4_096])
  expect(() => use(limits.storeReservePages / 2)()).toThrow(/full/)
  expect(() => changeWhenFull(db, undefined, use(limits.storeReservePages + 1))).toThrow(/full/)
  expect(pagesNow()).toBe(cap)
  changeWhenFull(db, undefined, use(limits.storeReservePages / 2))
  expect(pagesNow()).toBeGreaterThan(cap)
  expect(() => use(limits.storeReservePages / 2 + 1)()).toThrow(/full/)
})

const statements = (db: Store["db"], sql: string) => db.query(sql).get() as Record<string, number>

overfill(["storeReserveBytes"], "so much room is kept on the disk, and given back", async () => {
  const directory = scratch()
  const reserve = new Reserve(directory)
  await reserve.keep()
  const path = join(directory, "reserve")
  expect([statSync(path).size, statSync(path).blocks * 512 >= limits.storeReserveBytes]).toEqual([
    limits.storeReserveBytes,
    true,
  ])
  reserve.release()
  expect(existsSync(path)).toBe(false)
  // Given back while it is being kept.
  const keeping = reserve.keep()
  reserve.release()
  await keeping
  expect(existsSync(path)).toBe(false)
  rmSync(directory, { recursive: true })
})

overfill(["purgeBytes"], "deleting a session takes it away in steps, no larger unless a row is", () => {
  using it = open()
  const { db } = it.store
  const size = () => Number(statements(db, "SELECT coalesce(sum(size), 0) AS size FROM log").size)
  const steps = 4
  for (let i = 0; i < 8 * steps; i++) {
    it.append(limits.purgeBytes / 8)
    it.store.flush()
  }
  it.append(2 * limits.purgeBytes)
  it.store.flush()
  const taken: number[] = []
  for (let done = false; !done; ) {
    const before = size()
    done = purgeStep(db, it.log.uid)
    taken.push(before - size())
  }
  const large = taken.filter((bytes) => bytes > limits.purgeBytes)
  expect(taken.length).toBeGreaterThan(steps)
  expect(large.map((bytes) => Math.round(bytes / limits.purgeBytes))).toEqual([2])
  expect(size()).toBe(0)
})

overfill(
  ["storeFreePages", "vacuumPages"],
  "what a deleted session had goes back to the disk, some pages at a time",
  async () => {
    const directory = scratch()
    const store = new Store({ kind: "sqlite", directory })
    const log = new Log(1)
    const pages = 3 * limits.storeFreePages
    for (let i = 1; i * 16 < pages; i++) {
      store.append(log, i, JSON.stringify("x".repeat(16 * 4_096)), 0)
      store.flush()
    }
    expect(statements(store.db, "PRAGMA page_count").page_count).toBeGreaterThan(pages)
    const purger = new Purger(store.db, undefined)
    const counts: number[] = []
    let ended = false
    const purged = purger.purge(log.uid, false).finally(() => {
      ended = true
    })
    while (!ended) {
      counts.push(Number(statements(store.db, "PRAGMA page_count").page_count))
      await setImmediate()
    }
    await purged
    const steps = counts.map((count, i) => (counts[i - 1] ?? count) - count)
    expect(Math.max(...steps)).toBeGreaterThan(0)
    // Two turns of the loop may fall between two looks.
    expect(Math.max(...steps)).toBeLessThanOrEqual(2 * limits.vacuumPages + 2)
    const free = Number(statements(store.db, "PRAGMA freelist_count").freelist_count)
    expect(free).toBeLessThanOrEqual(limits.storeFreePages)
    expect(free).toBeGreaterThan(limits.storeFreePages / 2)
    store.close()
    rmSync(directory, { recursive: true })
  },
)

overfill(["backupMs"], "a copy from before a migration goes when it is old, drafts of one at once", () => {
  const directory = scratch()
  const path = join(directory, "sandbox-agent.db")
  const file = (name: string, age: number) => {
    writeFileSync(`${path}${name}`, "")
    const then = new Date(Date.now() - age)
    utimesSync(`${path}${name}`, then, then)
  }
  file(".v1.backup", limits.backupMs + 60_000)
  file(".v2.backup", limits.backupMs - 60_000)
  file(".v3.backup.4711", 0)
  file(".v2.backup-of-mine", 2 * limits.backupMs)
  new Store({ kind: "sqlite", directory }).close()
  const left = readdirSync(directory).filter((name) => name.includes("backup"))
  expect(left.sort()).toEqual(["sandbox-agent.db.v2.backup", "sandbox-agent.db.v2.backup-of-mine"])
  rmSync(directory, { recursive: true })
})

overfill(["salvageBytes"], "a repair gives way to others after so many bytes, or a row that has more", () => {
  const directory = scratch()
  const store = new Store({ kind: "sqlite", directory })
  const log = new Log(1)
  const rows = 16
  for (let i = 1; i <= rows; i++) {
    store.append(log, i, JSON.stringify("x".repeat(limits.salvageBytes / 4)), 0)
    store.flush()
  }
  store.close()
  let steps = 0
  for (const _ of repair(join(directory, "sandbox-agent.db"))) steps++
  expect(steps).toBe(rows / 4)
  rmSync(directory, { recursive: true })
})

overfill(["repairAgainMs"], "a file that is damaged again is not copied again at once", async () => {
  const directory = scratch()
  const store = new Store({ kind: "sqlite", directory })
  const log = new Log(1)
  store.append(log, 1, "{}", 0)
  store.flush()
  const failures: unknown[] = []
  let repairs = 0
  const repaired = new Promise<void>((resolve) => {
    store.onRepaired = () => {
      repairs++
      resolve()
    }
  })
  store.onFailing = (failing, error) => failing && failures.push(error)
  const begun = performance.now()
  const broken = Object.assign(new Error("database disk image is malformed"), { code: "SQLITE_CORRUPT" })
  // What cannot be written however often it is repaired.
  store.write(() => {
    throw broken
  })
  await repaired
  await expect.poll(() => failures, { timeout: 10_000 }).toEqual([broken])
  expect([repairs, store.failing, performance.now() - begun < limits.repairAgainMs]).toEqual([1, true, true])
  store.close()
  rmSync(directory, { recursive: true })
})
