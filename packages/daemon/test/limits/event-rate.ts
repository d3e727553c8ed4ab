import { rmSync } from "node:fs"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test, vi } from "vitest"
import { CommitSchedule } from "../../src/store/commit-schedule.ts"
import { EventRate } from "../../src/store/event-rate.ts"
import { Log } from "../../src/store/log.ts"
import { Store } from "../../src/store/store.ts"
import { scratch } from "../harness/daemon.ts"
import { overfill } from "./overfill.ts"

const { commitRestMs, flushLooseMs, flushPaceCommits, flushPaceEvents, flushPaceMs } = limits

/** Commits of one event each, `gapMs` apart, on a clock of our own. */
function paceAfter(commits: number, gapMs: number, events = 1): EventRate {
  let clock = 1
  const pace = new EventRate(() => clock)
  for (let i = 0; i < commits; i++) {
    clock += gapMs
    pace.committed(events)
  }
  return pace
}

overfill(["flushPaceEvents"], "so many a second are committed one by one, more are gathered", () => {
  const gap = 1_000 / flushPaceEvents
  expect(paceAfter(flushPaceCommits, gap * 1.1).isHigh).toBe(false)
  expect(paceAfter(flushPaceCommits, gap * 0.9).isHigh).toBe(true)
})

overfill(["flushPaceCommits"], "a few commits at once are no flood: it takes so many", () => {
  expect(paceAfter(flushPaceCommits - 1, 0.01).isHigh).toBe(false)
  expect(paceAfter(flushPaceCommits, 0.01).isHigh).toBe(true)
})

test("a flood stays one while it is gathered for flushPaceMs", () => {
  const gathered = Math.ceil((flushPaceEvents / 1_000) * (flushPaceMs + 1)) + 1
  expect(paceAfter(flushPaceCommits * 3, flushPaceMs + 1, gathered).isHigh).toBe(true)
})

/** Whether it happens within a few turns of the loop, in which no timer fires but those that are told to. */
async function soon(promise: Promise<unknown>): Promise<boolean> {
  let done = false
  void promise.then(() => {
    done = true
  })
  for (let turns = 0; !done && turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve))
  return done
}

overfill(
  ["flushPaceMs"],
  "in a flood the next commit waits so long, unless somebody waits for it or more than an event has changed",
  async () => {
    const directory = scratch()
    const store = new Store({ kind: "memory", directory })
    const log = new Log(1)
    let last = 0
    const flood = () => {
      for (let i = 0; i < flushPaceCommits; i++) {
        for (let k = 0; k < 1_000; k++) store.append(log, ++last, "{}", 0)
        store.flush()
      }
    }
    const woken = () => new Promise<void>((resolve) => log.waiting.add(resolve))
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      flood()
      // What its first append had asked for comes now, and is nothing.
      await soon(woken())
      const late = woken()
      store.append(log, ++last, "{}", 0)
      expect(await soon(late)).toBe(false)
      vi.advanceTimersByTime(flushPaceMs)
      expect(await soon(late)).toBe(true)
      store.append(log, ++last, "{}", 0)
      expect(await soon(store.committed())).toBe(true)
      flood()
      await Bun.sleep(10 * flushPaceMs)
      const end = woken()
      store.append(log, ++last, "{}", 0)
      store.write(() => {})
      expect(await soon(end)).toBe(true)
    } finally {
      vi.useRealTimers()
      store.close()
      rmSync(directory, { recursive: true, force: true })
    }
  },
)

overfill(
  ["commitRestMs"],
  "a commit so soon after another waits for the turn of the loop, and no other does",
  async () => {
    const order: string[] = []
    let now = 0
    const schedule = new CommitSchedule(
      () => order.push("commit"),
      () => false,
      () => now,
    )
    const asked = async (): Promise<string[]> => {
      order.length = 0
      const loop = new Promise<void>((resolve) => setImmediate(() => resolve(void order.push("loop"))))
      schedule.ask("now")
      for (let i = 0; i < 20; i++) await Promise.resolve()
      order.push("microtasks")
      await loop
      await new Promise<void>((resolve) => setImmediate(resolve))
      return [...order]
    }
    expect(await asked()).toEqual(["microtasks", "commit", "loop"])
    schedule.committed(1)
    now += commitRestMs
    expect(await asked()).toEqual(["microtasks", "loop", "commit"])
    now += commitRestMs
    expect(await asked()).toEqual(["microtasks", "commit", "loop"])
  },
)

test("what is deferred waits flushPaceMs for an event to be committed with, and no event or waiter waits for it", async () => {
  const directory = scratch()
  const store = new Store({ kind: "memory", directory })
  const log = new Log(1)
  let last = 0
  const append = () => store.append(log, ++last, "{}", 0)
  const woken = () => new Promise<void>((resolve) => log.waiting.add(resolve))
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    const alone = woken()
    store.deferred(append)
    expect(await soon(alone)).toBe(false)
    vi.advanceTimersByTime(flushPaceMs)
    expect(await soon(alone)).toBe(true)
    const { commits } = store.stats
    const together = woken()
    store.deferred(append)
    append()
    expect(await soon(together)).toBe(true)
    store.deferred(append)
    expect(await soon(store.committed())).toBe(true)
    expect(store.stats.commits - commits).toBe(2)
  } finally {
    vi.useRealTimers()
    store.close()
    rmSync(directory, { recursive: true, force: true })
  }
})

overfill(["flushLooseMs"], "a line without an event waits so long for one, and no event waits for it", async () => {
  const directory = scratch()
  const store = new Store({ kind: "memory", directory })
  const log = new Log(1)
  const lines = () => (store.db.query("SELECT count(*) AS n FROM raw").get() as { n: number }).n
  const commits = () => store.stats.commits
  const turns = () => soon(new Promise(() => {}))
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    store.raw(log, 1, "<", "alone")
    await turns()
    expect(commits()).toBe(0)
    const woken = new Promise<void>((resolve) => log.waiting.add(resolve))
    store.append(log, 1, "{}", 2)
    expect(await soon(woken)).toBe(true)
    // With the event, in one row.
    expect([commits(), lines()]).toEqual([1, 0])
    store.raw(log, 3, "<", "alone")
    await turns()
    expect(lines()).toBe(0)
    vi.advanceTimersByTime(flushLooseMs)
    await turns()
    expect([commits(), lines()]).toEqual([2, 1])
  } finally {
    vi.useRealTimers()
    store.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
