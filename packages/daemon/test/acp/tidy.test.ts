import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { afterEach, expect, test, vi } from "vitest"
import type { Acp } from "../../src/faces/acp/acp.ts"
import { Feed } from "../../src/faces/acp/feed.ts"
import { TidyTimer } from "../../src/faces/acp/tidy-timer.ts"
import { standalone } from "./standalone.ts"

const minute = 60_000
const traits = { version: 1, form: false, url: false, notices: false } as const

afterEach(() => void vi.useRealTimers())

/** Connections that are tidied up as the face does it, and how often that was within a time. */
function tidied() {
  vi.useFakeTimers()
  const { connections, store, clock, rows } = standalone()
  let looks = 0
  const timer = new TidyTimer(() => {
    looks++
    return connections.tidy()
  })
  connections.onUsed = () => timer.in(minute)
  const within = (ms: number): number => {
    looks = 0
    // The clock goes on with the timers.
    for (let passed = 0; passed < ms; passed += minute) {
      clock.now += minute
      vi.advanceTimersByTime(minute)
      store.flush()
    }
    return looks
  }
  return { connections, rows, within }
}

test("a client that has left is forgotten in memory, and a day later altogether: nobody looks in between, nor after", () => {
  const { connections, rows, within } = tidied()
  expect(within(acpLimits.connectionMs)).toBe(0)
  connections.touch(connections.open("official", "/v1/rpc", "mock", traits))
  expect(within(3 * minute)).toBeLessThanOrEqual(3)
  expect(within(acpLimits.connectionMs - 4 * minute)).toBe(0)
  expect(rows.conns()).toHaveLength(1)
  expect(within(10 * minute)).toBeLessThanOrEqual(2)
  expect(rows.conns()).toEqual([])
  expect(within(acpLimits.connectionMs)).toBe(0)
})

test("while its stream is open nobody looks; when it ends somebody does", () => {
  const { connections, within } = tidied()
  const connection = connections.open("official", "/v1/rpc", "mock", traits)
  connections.touch(connection)
  const acp = { ...connections.acp, connections } as Acp
  const feed = new Feed(acp, connection, { kind: "all" }, { pos: -1, k: 0 })
  connection.feeds.set(feed.key, feed)
  expect(within(minute)).toBe(1)
  expect(within(2 * acpLimits.connectionMs)).toBe(0)
  feed.end()
  expect(within(10 * minute)).toBeGreaterThan(0)
  expect(within(10 * minute)).toBe(0)
})
