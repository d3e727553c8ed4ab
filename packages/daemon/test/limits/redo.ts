import { cpSync, readFileSync, rmSync, truncateSync } from "node:fs"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, vi } from "vitest"
import { Log } from "../../src/store/log.ts"
import { Recent } from "../../src/store/recent.ts"
import { redoPath } from "../../src/store/redo.ts"
import { decodeRecords } from "../../src/store/redo-record.ts"
import { Rows } from "../../src/store/rows.ts"
import { Store } from "../../src/store/store.ts"
import { withDatabase } from "../durability/database.ts"
import { scratch } from "../harness/daemon.ts"
import { overfill } from "./overfill.ts"

function open() {
  const directory = scratch()
  const store = new Store({ kind: "sqlite", directory })
  const log = new Log(1)
  let last = 0
  const append = (length: number) => store.append(log, ++last, JSON.stringify("x".repeat(length)), 0)
  /** As another process sees it. */
  const inDatabase = () =>
    withDatabase(directory, (db) => (db.query("SELECT count(*) AS n FROM log").get() as { n: number }).n)
  const redo = () => readFileSync(redoPath(directory))
  const close = () => {
    store.close()
    rmSync(directory, { recursive: true })
  }
  return { directory, store, append, inDatabase, redo, [Symbol.dispose]: close }
}

overfill(["redoReadBytes"], "of a longer file what a daemon may have left is taken, the rest is not read", () => {
  using it = open()
  it.append(1)
  it.store.flush()
  const copy = scratch()
  cpSync(it.directory, copy, { recursive: true })
  truncateSync(redoPath(copy), 400 * limits.redoReadBytes)
  const next = new Store({ kind: "sqlite", directory: copy })
  expect(next.warnings).toEqual([])
  expect(new Rows(next.db).logBounds(1).last).toBe(1)
  next.close()
  rmSync(copy, { recursive: true })
})

overfill(["redoCommitChars", "redoCommitRows"], "a commit that has more goes into the database at once", () => {
  using it = open()
  it.append(limits.redoCommitChars / 2)
  it.store.flush()
  expect(it.inDatabase()).toBe(0)
  it.append(limits.redoCommitChars)
  it.store.flush()
  expect(it.inDatabase()).toBe(2)
  for (const rows of [limits.redoCommitRows, limits.redoCommitRows + 1]) {
    it.append(1)
    for (let i = 0; i < rows; i++) it.store.saveRow(String(i), () => {})
    it.store.flush()
    expect(it.inDatabase()).toBe(rows > limits.redoCommitRows ? 4 : 2)
  }
})

overfill(["redoBytes"], "when the file has as much, the next commit brings it in", () => {
  using it = open()
  const size = limits.redoCommitChars / 2
  let commits = 0
  while (it.inDatabase() === 0) {
    it.append(size)
    it.store.flush()
    commits++
  }
  expect(commits).toBe(it.inDatabase())
  expect([...decodeRecords(it.redo())].length).toBe(commits - 1)
  expect(it.redo().length).toBeGreaterThanOrEqual(limits.redoBytes)
  expect(it.redo().length).toBeLessThan(limits.redoBytes + 2 * size)
})

overfill(["redoRestMs", "redoMs"], "what nobody asks for comes into the database at rest, and at last without", () => {
  vi.useFakeTimers()
  try {
    using it = open()
    const write = () => {
      it.append(1)
      it.store.flush()
    }
    const after = (ms: number) => {
      vi.advanceTimersByTime(ms)
      return it.inDatabase()
    }
    for (const rests of [1, 2]) {
      write()
      expect(after(limits.redoRestMs - 1)).toBe(2 * rests - 2)
      write()
      expect(after(limits.redoRestMs - 1)).toBe(2 * rests - 2)
      expect(after(1)).toBe(2 * rests)
    }
    for (let ms = 0; ms < limits.redoMs; ms++) {
      write()
      expect(it.inDatabase()).toBe(4)
      vi.advanceTimersByTime(1)
    }
    expect(it.inDatabase()).toBe(4 + limits.redoMs)
  } finally {
    vi.useRealTimers()
  }
})

overfill(["recentMessages"], "the oldest is looked up again", () => {
  const recent = new Recent<number>(limits.recentMessages)
  for (let i = 0; i <= limits.recentMessages; i++) recent.set(`1 m${i}`, i)
  expect([recent.get("1 m0"), recent.get("1 m1"), recent.get(`1 m${limits.recentMessages}`)]).toEqual([
    undefined,
    1,
    limits.recentMessages,
  ])
  using it = open()
  const rows = new Rows(it.store.db)
  const save = (id: string, state: "queued" | "taken") =>
    rows.saveMessage(1, { id, ord: 1, state, text: "", attachments: [], delivery: "queue", turnId: "t" })
  save("first", "taken")
  save("second", "taken")
  for (let i = 1; i < limits.recentMessages; i++) save(`m${i}`, "taken")
  save("waits", "queued")
  it.store.db.run("DELETE FROM messages WHERE id <> 'waits'")
  const states = ["first", "second", "m1", "waits", "none"].map((id) => rows.message(1, id)?.state)
  expect(states).toEqual([undefined, "taken", "taken", "queued", undefined])
})
