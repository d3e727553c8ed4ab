import { rmSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { Core } from "../../src/core/core.ts"
import { createSession } from "../../src/core/creation.ts"
import { Log } from "../../src/store/log.ts"
import { LogReader } from "../../src/store/reader.ts"
import { Store } from "../../src/store/store.ts"
import { Puppet } from "../core/puppet.ts"
import { setStage } from "../core/stage.ts"
import { scratch } from "../harness/daemon.ts"

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

test("flushEvents and flushChars: no page of a commit holds more", () => {
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

test("flushEvents: what has gathered is committed between two lines, without waiting for the tick's end", async () => {
  await using stage = await setStage()
  await stage.running()
  const committed = stage.session.log.last
  for (let i = 0; i < limits.flushEvents; i++) stage.say(() => stage.sink.delta("a", { index: 0, type: "text" }, "x"))
  expect(stage.session.log.last - committed).toBeGreaterThanOrEqual(limits.flushEvents)
})

test("pendingChars: beyond it there is no room, until the commit", async () => {
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

test("tailBytes: the memory kept for readers is bounded, the rest comes from the database", () => {
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

test("tailBytes: native lines that are kept with the events are counted", () => {
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

test("readerPageBytes: a step of a reader takes no more, whatever waits for it", () => {
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

test("globalEvents: the log of all sessions keeps the last ones", async () => {
  await using stage = await setStage()
  const { context } = stage.core
  const { log } = context.global
  for (let i = 0; i < limits.globalEvents + 2 * limits.flushEvents; i++) {
    context.global.append("session.status", "one", { status: "idle" })
    if (i % 10_000 === 0) context.store.flush()
  }
  context.store.flush()
  stage.core.tidy()
  context.store.flush()
  expect(log.first).toBeGreaterThan(1)
  expect(log.last - log.first).toBeGreaterThanOrEqual(limits.globalEvents - limits.flushEvents)
  const [oldest] = context.reader.texts(log, log.first - 1, 1)
  expect(oldest?.sequence).toBe(log.first)
})

test("idleSessionsLoaded and evictAfterMs: sessions at rest are forgotten, not those just looked at, and come back", async () => {
  await using stage = await setStage({
    idleStopMs: 1_000_000,
    behaviour: { open: () => Promise.reject(new Error("no")) },
  })
  const { sessions } = stage.core
  for (let i = 0; i < limits.idleSessionsLoaded + 9; i++) await createSession(sessions, `s${i}`, { agent: "puppet" })
  const loaded = () => [...sessions.loaded].length
  stage.core.tidy()
  expect(loaded()).toBe(limits.idleSessionsLoaded + 10)
  for (const s of sessions.loaded) s.touched = performance.now() - limits.evictAfterMs - 1
  stage.core.tidy()
  expect(loaded()).toBe(limits.idleSessionsLoaded)
  expect(sessions.get("s0").record.id).toBe("s0")
})

test("sessionsPageDefault: a list without a limit is no longer, and goes on with its cursor", async () => {
  await using stage = await setStage({ behaviour: { open: () => Promise.reject(new Error("no")) } })
  const { sessions } = stage.core
  for (let i = 0; i < limits.sessionsPageDefault; i++) await createSession(sessions, `s${i}`, { agent: "puppet" })
  const first = sessions.list({})
  expect(first.sessions).toHaveLength(limits.sessionsPageDefault)
  expect(sessions.list({ cursor: first.nextCursor }).sessions.map(({ id }) => id)).toEqual(["one"])
})

test("resumeConcurrency: after a restart no more sessions are opened at once", async () => {
  await using stage = await setStage()
  const ids = Array.from({ length: limits.resumeConcurrency + 3 }, (_, i) => `s${i}`)
  for (const id of ids) {
    const { session } = await createSession(stage.core.sessions, id, { agent: "puppet" })
    stage.core.context.store.write(() =>
      stage.core.context.rows.saveMessage(session.record.uid, {
        id: "m",
        ord: 1,
        state: "queued",
        delivery: "queue",
        turnId: `turn_${id}`,
        text: "hi",
        attachments: [],
      }),
    )
  }
  await stage.core.stop()
  const held: (() => void)[] = []
  const puppet = new Puppet({ open: () => new Promise((resolve) => held.push(resolve)) })
  const next = new Core({ ...stage.core.options, drivers: new Map([["puppet", puppet]]) })
  next.recover()
  next.start()
  let most = 0
  while (puppet.openings.length < ids.length || held.length > 0) {
    for (let i = 0; i < 5; i++) await setImmediate()
    most = Math.max(most, held.length)
    held.shift()?.()
  }
  expect(most).toBe(limits.resumeConcurrency)
  await puppet.until("send", ids.length)
  await next.stop()
})

test("what a commit wrote is told: events and native lines", () => {
  using it = open()
  const told: number[] = []
  it.store.onWritten = (bytes) => told.push(bytes)
  it.append(1_000)
  it.store.raw(it.log, 1, "<", "x".repeat(500))
  it.store.flush()
  it.append(1)
  it.store.flush()
  expect(told).toEqual([expect.any(Number), expect.any(Number)])
  expect(told[0]).toBeGreaterThan(1_500)
  expect(told[1]).toBeLessThan(100)
  it.store.shrink()
  expect(it.reader.texts(it.log, 0, 10)).toHaveLength(2)
})

test("storeReservePages: deleting may use so many pages beyond the cap, and not one more", () => {
  using it = open()
  const { db } = it.store
  const pagesNow = () => (db.query("PRAGMA page_count").get() as { page_count: number }).page_count
  const cap = pagesNow()
  db.run(`PRAGMA max_page_count = ${cap}`)
  const use = (pages: number) => () =>
    db.run("INSERT INTO blobs (hash, bytes) VALUES (?, zeroblob(?))", [pages, pages * 4_096])
  expect(() => use(limits.storeReservePages / 2)()).toThrow(/full/)
  expect(() => it.store.deleteInReserve(it.log, use(limits.storeReservePages + 1))).toThrow(/cannot be written/)
  expect(pagesNow()).toBe(cap)
  it.store.deleteInReserve(it.log, use(limits.storeReservePages / 2))
  expect(pagesNow()).toBeGreaterThan(cap)
  expect(() => use(limits.storeReservePages / 2 + 1)()).toThrow(/full/)
})
