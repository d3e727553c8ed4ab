import { afterEach, expect, test, vi } from "vitest"
import { Clock } from "../../src/core/clock.ts"
import { Ids } from "../../src/core/ids.ts"

const stampOf = (id: string): string => id.slice(id.indexOf("_") + 1, id.indexOf("_") + 13)
const ascending = (texts: string[]): boolean => texts.every((text, i) => i === 0 || (texts[i - 1] ?? "") < text)
const DAY = 24 * 3600 * 1000

afterEach(() => {
  vi.useRealTimers()
})

/** The clock of the machine, not of our code. */
function setTime(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: ms })
}

test("ids ascend, also within a millisecond and when the machine's clock goes back", () => {
  const ids = new Ids()
  setTime(1_800_000_000_000)
  const first = Array.from({ length: 5_000 }, () => ids.next("item"))
  setTime(1_700_000_000_000)
  const all = [...first, ...Array.from({ length: 100 }, () => ids.next("item"))]
  expect(ascending(all)).toBe(true)
  expect(new Set(all).size).toBe(all.length)
  expect(all[0]).toMatch(/^item_[0-9a-f]{12}[0-9A-Za-z]{14}$/)
})

test("kinds share one order", () => {
  const ids = new Ids()
  const stamps = (["msg", "turn", "item", "perm", "que"] as const).map((kind) => stampOf(ids.next(kind)))
  expect(ascending(stamps)).toBe(true)
  expect(new Set(stamps).size).toBe(stamps.length)
})

test("a client's id with a later stamp lifts the generator", () => {
  const theirs = new Ids()
  const ours = new Ids()
  setTime(1_800_000_000_000 + DAY / 2)
  const ahead = theirs.next("msg")
  setTime(1_800_000_000_000)
  ours.next("msg")
  ours.lift(ahead)
  expect(stampOf(ours.next("msg")) > stampOf(ahead)).toBe(true)
})

test("the lift is bounded, and what is no id of ours does not lift", () => {
  setTime(1_800_000_000_000 + 2 * DAY)
  const far = new Ids().next("msg")
  setTime(1_800_000_000_000)
  const ids = new Ids()
  const before = ids.next("msg")
  for (const id of [far, "my-own-id", "msg_", "msg_zzzzzzzzzzzz", `msg_${"f".repeat(12)}x`]) ids.lift(id)
  const after = ids.next("msg")
  expect(Number.parseInt(stampOf(after), 16) - Number.parseInt(stampOf(before), 16)).toBe(1)
})

test("time never goes back, and follows again when the machine has caught up", () => {
  const clock = new Clock()
  setTime(1_800_000_000_000)
  const first = clock.now()
  setTime(1_799_999_000_000)
  expect(clock.now()).toBe(first)
  setTime(1_800_000_000_001)
  expect(clock.now()).toBe(new Date(1_800_000_000_001).toISOString())
  expect(clock.millis).toBe(1_800_000_000_001)
})

test("a clock lifted by the last run begins there, and is not lowered", () => {
  setTime(1_800_000_000_000)
  const clock = new Clock()
  const later = new Date(1_800_000_500_000).toISOString()
  clock.lift(later)
  clock.lift("2020-01-01T00:00:00.000Z")
  clock.lift("no time")
  expect(clock.now()).toBe(later)
})
