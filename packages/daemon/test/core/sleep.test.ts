import { expect, test } from "vitest"
import { setStage } from "./stage.ts"

test("when there is nothing to stop and nothing to forget, nothing is due", async () => {
  await using stage = await setStage({ idleStopMs: 60_000 })
  const due = () => stage.core.sessions.tidyDueMs()
  // A process that may be stopped once it has rested: then, and not before.
  expect(due()).toBeGreaterThan(0)
  expect(due()).toBeLessThanOrEqual(60_000)
  const id = await stage.running()
  expect(due()).toBe(Number.POSITIVE_INFINITY)
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  expect(stage.events().some(({ type }) => type === "turn.ended")).toBe(true)
  expect([id === "", due() <= 60_000]).toEqual([false, true])
  stage.say(() => stage.sink.background(1))
  expect(due()).toBe(Number.POSITIVE_INFINITY)
  stage.say(() => stage.sink.background(0))
  stage.session.idleSince = performance.now() - 60_001
  stage.core.tidy()
  await stage.until("session.updated", ({ data }) => data.agent_process === "none")
  expect(due()).toBe(Number.POSITIVE_INFINITY)
})

test("without an idle stop, and with a request open, nothing is due", async () => {
  await using never = await setStage({ idleStopMs: 0 })
  expect(never.core.sessions.tidyDueMs()).toBe(Number.POSITIVE_INFINITY)
  await using asking = await setStage({ idleStopMs: 60_000 })
  asking.say(() =>
    asking.sink.ask({
      ...({ key: "p", type: "permission", kind: "command", action: "Run it" } as const),
      ...{ covers: [], always: [], background: true },
    }),
  )
  expect(asking.core.sessions.tidyDueMs()).toBe(Number.POSITIVE_INFINITY)
})
