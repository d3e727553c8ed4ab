import { Database } from "bun:sqlite"
import { setImmediate } from "node:timers/promises"
import { expect, onTestFinished, test } from "vitest"
import { follow } from "../../src/faces/http/sse.ts"
import { StalledReaders } from "../../src/faces/http/stalled-readers.ts"
import { Log } from "../../src/store/log.ts"
import { LogReader } from "../../src/store/reader.ts"
import { Store } from "../../src/store/store.ts"
import { databaseFile, keptDirectory } from "./database.ts"

/** A store with one event, and the same file as another process sees it: what is not committed is not there. */
function opened() {
  const directory = keptDirectory()
  const store = new Store({ kind: "sqlite", directory })
  const outside = new Database(databaseFile(directory), { readonly: true })
  onTestFinished(() => {
    outside.close()
    store.close()
  })
  const log = new Log(1)
  store.append(log, 1, '{"n":1}', 0)
  store.flush()
  const onDisk = (): number =>
    (outside.query("SELECT max(seq + count - 1) AS last FROM log WHERE uid = 1").get() as { last: number }).last
  return { store, log, outside, onDisk }
}

/** From now on COMMIT itself fails, after every statement before it went well, until `mend`. */
function breakCommit({ db }: Store): { owe: () => void; mend: () => void } {
  db.run("PRAGMA foreign_keys = ON")
  db.run("CREATE TABLE owing (debt TEXT REFERENCES meta (key) DEFERRABLE INITIALLY DEFERRED)")
  return {
    owe: () => db.run("INSERT INTO owing VALUES ('unpaid')"),
    mend: () => db.run("INSERT INTO meta (key, value) VALUES ('unpaid', 'paid')"),
  }
}

test("who is woken finds in the file, from outside, what the log says and the rows that belong to it", () => {
  const { store, log, outside, onDisk } = opened()
  const seen: [woken: string, said: number, onDisk: number, row: unknown][] = []
  const row = () => outside.query("SELECT value FROM meta WHERE key = 'row'").get()
  const look = (woken: string) => seen.push([woken, log.last, onDisk(), row()])
  log.waiting.add(() => look("reader"))
  store.append(log, 2, '{"n":2}', 0)
  store.append(log, 3, '{"n":3}', 0)
  store.write(() => {
    store.db.run("INSERT INTO meta (key, value) VALUES ('row', 'written')")
    look("writer")
  })
  store.saveLater({ save: () => look("row") })
  store.flush()
  expect(seen).toEqual([
    ["writer", 1, 1, null],
    ["row", 1, 1, null],
    ["reader", 3, 3, { value: "written" }],
  ])
})

test("a COMMIT that fails shows nothing, wakes nobody and answers nobody; the next one shows everything once", async () => {
  const { store, log, onDisk } = opened()
  const { owe, mend } = breakCommit(store)
  const woken: number[] = []
  log.waiting.add(() => woken.push(log.last))
  store.append(log, 2, '{"n":2}', 0)
  store.write(owe)
  let answered = false
  const committed = store.committed().then(() => {
    answered = true
  })
  const events = store.stats.events
  store.flush()
  await Promise.resolve()
  expect(store.stats.failures).toBe(1)
  expect({ last: log.last, tail: log.fromTail(1)?.first, woken, answered }).toEqual({
    last: 1,
    tail: 1,
    woken: [],
    answered: false,
  })
  expect([onDisk(), store.stats.events]).toEqual([1, events])

  mend()
  store.flush()
  await committed
  await setImmediate()
  expect([log.last, onDisk(), woken, answered]).toEqual([2, 2, [2], true])
})

test("a stream sends nothing of a COMMIT that failed", async () => {
  const { store, log } = opened()
  const { owe, mend } = breakCommit(store)
  const stalled = new StalledReaders(60, () => {})
  const request = new Request("http://localhost/")
  const stream = follow({ log, reader: new LogReader(store.db), cursor: 1, request, stalled })
  expect(new TextDecoder().decode((await stream.next()).value)).toContain("retry:")
  const sent: string[] = []
  const next = stream.next().then(({ value }) => sent.push(new TextDecoder().decode(value ?? new Uint8Array())))
  store.append(log, 2, '{"n":2}', 0)
  store.write(owe)
  store.flush()
  await Bun.sleep(0)
  expect(store.stats.failures).toBeGreaterThan(0)
  expect(sent).toEqual([])
  mend()
  store.flush()
  await next
  expect(sent).toEqual(['id: 2\ndata: {"n":2}\n\n'])
  await stream.return(undefined)
})
