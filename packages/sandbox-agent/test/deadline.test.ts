import { afterEach, expect, test, vi } from "vitest"
import { Deadline } from "../src/http/deadline.ts"

afterEach(() => {
  vi.useRealTimers()
})

const begin = (timeoutMs: number) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] })
  return new Deadline("Sending", undefined, timeoutMs)
}

test("time counts from what moved last", () => {
  const deadline = begin(1000)
  for (let moves = 0; moves < 5; moves++) {
    vi.advanceTimersByTime(900)
    deadline.again()
  }
  expect(deadline.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1000)
  expect(deadline.signal.aborted).toBe(true)
  expect(deadline.explain(new Error("aborted")).kind).toBe("timeout")
})

test("the clock of the day may jump, to either side", () => {
  for (const hours of [-5, 5]) {
    const deadline = begin(1000)
    vi.setSystemTime(Date.now() + hours * 3_600_000)
    vi.advanceTimersByTime(900)
    expect(deadline.signal.aborted).toBe(false)
    deadline.again()
    vi.setSystemTime(Date.now() - hours * 3_600_000)
    vi.advanceTimersByTime(1100)
    expect(deadline.signal.aborted).toBe(true)
    vi.useRealTimers()
  }
})
