import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { Log } from "../../src/store/log.ts"
import { LogReader } from "../../src/store/reader.ts"
import { Store } from "../../src/store/store.ts"

const directory = mkdtempSync(join(tmpdir(), "failing-store-"))
afterAll(() => rmSync(directory, { recursive: true }))

const big = JSON.stringify({ text: "x".repeat(64 * 1024) })

/** A store on a real file that has no page left; `room()` gives it some. */
function full(name: string) {
  const store = new Store({ kind: "sqlite", directory: join(directory, name) })
  const log = new Log(1)
  store.append(log, 1, '{"kept":true}', 0)
  store.flush()
  const { page_count } = store.db.query("PRAGMA page_count").get() as { page_count: number }
  store.db.run(`PRAGMA max_page_count = ${page_count}`)
  const reported: boolean[] = []
  store.onFailing = (failing) => reported.push(failing)
  return {
    store,
    log,
    reported,
    reader: new LogReader(store.db),
    room: () => store.db.run("PRAGMA max_page_count = 100000"),
  }
}

const sequences = (reader: LogReader, log: Log) => reader.texts(log, 0, 1_000).map((event) => event.sequence)

test("a commit that fails loses nothing, shows nothing, and is done once there is room", async () => {
  const { store, log, reported, reader, room } = full("keeps")
  for (let n = 2; n <= 9; n++) store.append(log, n, big, 0)
  store.write(() => store.db.run("INSERT INTO meta (key, value) VALUES ('row', 'written')"))
  const refused = store.committed().catch((error: unknown) => error)
  for (let attempt = 0; attempt < 3; attempt++) store.flush()
  expect(await refused).toMatchObject({ code: "unavailable" })
  expect([store.failing, reported]).toEqual([true, [true]])
  expect(log.last).toBe(1)
  expect(sequences(reader, log)).toEqual([1])
  expect(store.db.query("SELECT * FROM meta WHERE key = 'row'").get()).toBeNull()
  const waiting = store.room(log)
  expect(waiting).toBeInstanceOf(Promise)
  store.append(log, 10, "{}", 0)

  room()
  store.flush()
  await waiting
  expect([store.failing, reported]).toEqual([false, [true, false]])
  expect([log.last, sequences(reader, log)]).toEqual([10, Array.from({ length: 10 }, (_, i) => i + 1)])
  expect(store.db.query("SELECT value FROM meta WHERE key = 'row'").get()).toEqual({ value: "written" })
  expect(store.room(log)).toBeUndefined()
  store.close()
})

test("an event that found room is not shown while the row it belongs to found none", () => {
  const { store, log, reader, room } = full("together")
  const woken: number[] = []
  log.waiting.add(() => woken.push(log.last))
  store.append(log, 2, '{"small":true}', 0)
  store.write(() => store.db.run("INSERT INTO meta (key, value) VALUES ('row', ?)", [big]))
  store.flush()
  // The log before the reader: that one looks for events until it has all the log speaks of.
  expect([log.last, woken, store.stats.events]).toEqual([1, [], 1])
  expect(sequences(reader, log)).toEqual([1])
  expect(reader.next(log, 1)).toBeUndefined()
  room()
  store.flush()
  expect([log.last, sequences(reader, log), woken]).toEqual([2, [1, 2], [2]])
  store.close()
})

test("it tries again by itself", async () => {
  const { store, log, room } = full("retries")
  store.append(log, 2, big, 0)
  for (let attempt = 0; attempt < 3; attempt++) store.flush()
  const again = new Promise<void>((resolve) => {
    store.onFailing = (failing) => failing || resolve()
  })
  room()
  await again
  expect(log.last).toBe(2)
  store.close()
})

test("reads that flush meanwhile do not multiply the attempts", async () => {
  const { store, log } = full("calm")
  store.append(log, 2, big, 0)
  for (let read = 0; read < 200; read++) store.flush()
  const before = store.stats.failures
  await Bun.sleep(1_000)
  // Four a second; a slow machine makes fewer. One chain of attempts for each read would make 800.
  expect(store.stats.failures - before).toBeLessThan(20)
  store.db.run("PRAGMA max_page_count = 100000")
  store.close()
})

test("a store that is closed while it fails lets go of the directory", () => {
  const { store, log } = full("closing")
  store.append(log, 2, big, 0)
  for (let attempt = 0; attempt < 3; attempt++) store.flush()
  store.close()
  const next = new Store({ kind: "sqlite", directory: store.directory })
  const reader = new LogReader(next.db)
  const again = new Log(1)
  again.last = 1
  expect(sequences(reader, again)).toEqual([1])
  next.close()
})
