import { fullGC, heapStats } from "bun:jsc"
import { setImmediate } from "node:timers/promises"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test, vi } from "vitest"
import { BusyGc } from "../../src/core/busy-gc.ts"
import { setStage } from "../core/stage.ts"
import { overfill } from "./overfill.ts"

overfill(["collectBytes"], "so much written is followed by a collection, and the count begins anew", () => {
  let collected = 0
  const collector = new BusyGc(
    () => void collected++,
    () => 0,
  )
  const after = (bytes: number) => {
    collector.wrote(bytes)
    return collected
  }
  const flood = limits.collectBytes / 2
  expect([after(flood - 1), after(flood), after(1), after(flood), after(flood)]).toEqual([0, 0, 0, 1, 1])
})

overfill(
  ["collectRestMs"],
  "small commits are not followed by it at once, but once there are no more, or twice as much",
  () => {
    vi.useFakeTimers()
    try {
      let collected = 0
      const collector = new BusyGc(
        () => void collected++,
        () => 0,
      )
      const small = limits.redoCommitChars
      const write = (bytes: number) => {
        for (let left = bytes; left > 0; left -= small) collector.wrote(small)
      }
      const after = (ms: number) => {
        vi.advanceTimersByTime(ms)
        return collected
      }
      write(limits.collectBytes)
      expect(after(limits.collectRestMs - 1)).toBe(0)
      write(small)
      expect(after(limits.collectRestMs - 1)).toBe(0)
      expect(after(1)).toBe(1)
      expect(after(10 * limits.collectRestMs)).toBe(1)
      write(2 * limits.collectBytes - small)
      expect(collected).toBe(1)
      write(small)
      expect(collected).toBe(2)
      expect(after(10 * limits.collectRestMs)).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  },
)

overfill(["collectReadBytes"], "so much read from the database is followed by a collection as well", () => {
  let collected = 0
  const collector = new BusyGc(
    () => void collected++,
    () => 0,
  )
  const after = (bytes: number) => {
    collector.read(bytes)
    return collected
  }
  expect([after(limits.collectReadBytes - 1), after(1), after(1)]).toEqual([0, 1, 1])
})

overfill(["collectShare"], "a collection that took long is not repeated before as much other work was done", () => {
  let used = 0
  let collected = 0
  const took = 100
  const collector = new BusyGc(
    () => {
      collected++
      used += took
    },
    () => used,
  )
  const work = (ms: number) => {
    used += ms
    collector.wrote(limits.collectBytes)
    return collected
  }
  const enough = took / limits.collectShare
  expect([work(1), work(enough - 1), work(1), work(enough - 1)]).toEqual([1, 1, 2, 2])
})

test("a text that grows by many deltas does not keep the pieces it came in", async () => {
  await using stage = await setStage()
  await stage.running()
  const pieces = 20_000
  // A collection takes what looks like a pointer on the stack for one, a batch just written among them: each count has a stack of its own.
  const strings = async () => {
    stage.core.context.store.flush()
    await setImmediate()
    fullGC()
    return heapStats().objectTypeCounts.string ?? 0
  }
  const say = (i: number) => stage.say(() => stage.sink.delta("a", { index: 0, type: "text" }, `w${i} `))
  say(0)
  const before = await strings()
  for (let i = 1; i < pieces; i++) say(i)
  await expect.poll(async () => (await strings()) - before).toBeLessThan(pieces / 2)
  const whole = Array.from({ length: pieces }, (_, i) => `w${i} `).join("")
  stage.say(() => stage.sink.close("a", { status: "completed" }))
  stage.core.context.store.flush()
  const last = stage.events().findLast((event) => event.type === "item.completed")
  expect(last?.data).toMatchObject({ item: { content: [{ type: "text", text: whole }] } })
})
