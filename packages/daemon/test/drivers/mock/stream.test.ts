import { describe, expect, test } from "vitest"
import { openSession } from "./session.ts"

describe("/stream", () => {
  test("delivers every delta in order, in one text item", async () => {
    const { items, end } = await (await openSession()).run("/stream 20000")
    expect(items).toHaveLength(1)
    expect(items[0]?.deltas).toEqual(Array.from({ length: 20_000 }, (_, i) => String(i).padEnd(8)))
    expect(items[0]?.end).toEqual({ status: "completed" })
    expect(end.stop).toBe("end_turn")
  })

  test.each([1, 2, 3, 100, 70_000])("deltas are of %i bytes", async (bytes) => {
    const { items } = await (await openSession()).run(`/stream 25 ${bytes}`)
    expect(items[0]?.deltas.map((text) => text.length)).toEqual(Array(25).fill(bytes))
    const indexes = items[0]?.deltas.map((text) => Number(text))
    expect(indexes).toEqual(Array.from({ length: 25 }, (_, i) => (bytes < 3 ? i % 10 : i)))
  })
})

describe("/flood", () => {
  test("each delta has its index and the time it was written", async () => {
    const session = await openSession()
    const [before, clock] = [performance.now(), Date.now()]
    const { items } = await session.run("/flood 50 500")
    const took = performance.now() - before
    const seen = items[0]?.deltas.map((text) => /^(\d+):(\d+\.\d+) $/.exec(text))
    expect(seen?.map((match) => Number(match?.[1]))).toEqual(Array.from({ length: 50 }, (_, i) => i))
    const times = seen?.map((match) => Number(match?.[2])) ?? []
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    // Paced: the last is due 98 ms after the start, which was not before it was asked for; and no timer fires early.
    expect(took).toBeGreaterThanOrEqual(96)
    expect(Math.abs((times[0] ?? 0) - clock)).toBeLessThan(60_000)
  })

  test("takes a rate below one and one no timer can keep", async () => {
    const { items } = await (await openSession()).run("/flood 1 0.1\n/flood 3000 1000000")
    expect(items.map(({ deltas }) => deltas.length)).toEqual([1, 3000])
  })
})
