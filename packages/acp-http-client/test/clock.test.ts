import { afterEach, expect, test, vi } from "vitest"
import { SilenceTimer } from "../src/silence-timer.ts"
import { UnconfirmedCalls } from "../src/unconfirmed-calls.ts"

afterEach(() => {
  vi.useRealTimers()
})

const begin = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] })
const jump = (hours: number) => vi.setSystemTime(Date.now() + hours * 3_600_000)

test.each([-5, 5])("silence is what it is when the clock of the day jumps by %d hours", async (hours) => {
  begin()
  const watch = new SilenceTimer(new AbortController().signal, () => 1000)
  const reading = watch.during(
    new Promise<never>((_, reject) => watch.signal.addEventListener("abort", () => reject())),
  )
  reading.catch(() => undefined)
  jump(hours)
  vi.advanceTimersByTime(900)
  expect(watch.signal.aborted).toBe(false)
  vi.advanceTimersByTime(200)
  expect(watch.signal.aborted).toBe(true)
  await expect(reading).rejects.toMatchObject({ kind: "timeout" })
})

test.each([-5, 5])(
  "a call that may be lost is waited for as long as it should when the clock of the day jumps by %d hours",
  (hours) => {
    begin()
    const settle = vi.fn()
    const call = { method: "session/prompt", posting: new AbortController(), settled: false, settle }
    const unconfirmed = new UnconfirmedCalls(undefined, "answer_lost", [call], 1000)
    unconfirmed.begin()
    vi.advanceTimersByTime(500)
    unconfirmed.heard()
    jump(hours)
    vi.advanceTimersByTime(900)
    expect(settle).not.toHaveBeenCalled()
    vi.advanceTimersByTime(200)
    expect(settle).toHaveBeenCalledOnce()
  },
)
