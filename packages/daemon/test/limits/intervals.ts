import { intervalNames, intervals, intervalsWith } from "@sandbox-agent/schema/intervals"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { resolveServerConfig } from "../../src/cli/config.ts"
import { startDaemon } from "../harness/daemon.ts"
import { overfill } from "./overfill.ts"

const given = (...argv: string[]) => intervalsWith(resolveServerConfig(argv, {}).interval)

test("without a word every interval is its limit", () => {
  expect(given()).toEqual(intervals)
})

test("each can be told, by flag, by environment, and the last word counts", () => {
  for (const name of intervalNames) expect(given("--interval", `${name}=7`)).toEqual({ ...intervals, [name]: 7 })
  const env = { SANDBOX_AGENT_INTERVAL: "tidyMs=3,heartbeatMs=4" }
  expect(intervalsWith(resolveServerConfig([], env).interval)).toEqual({ ...intervals, tidyMs: 3, heartbeatMs: 4 })
  expect(given("--interval", "tidyMs=3", "--interval", "tidyMs=5").tidyMs).toBe(5)
})

test.each(["nobodyMs=5", "tidyMs", "tidyMs=0", "tidyMs=1.5", "tidyMs=-1", "tidyMs=9999999999"])(
  "%s is refused",
  (word) => {
    expect(() => given("--interval", word)).toThrow(/one of heartbeatMs, tidyMs/)
  },
)

overfill(["tidyMs"], "an idle agent is looked for no sooner and no later", async () => {
  expect(intervals.tidyMs).toBe(limits.tidyMs)
  await using daemon = await startDaemon({ flags: ["--idle-stop-ms", "1"], intervals: { tidyMs: 50 } })
  await daemon.api.create("one")
  await daemon.api.turn("one", "awake")
  await daemon.api.until("one", "session.updated", ({ data }) => data.agent_process === "none")
  await using lazy = await startDaemon({ flags: ["--idle-stop-ms", "1"], intervals: { tidyMs: 3_600_000 } })
  await lazy.api.create("one")
  await lazy.api.turn("one", "awake")
  await lazy.api.turn("one", "still the same process")
  const stops = (await lazy.api.events("one")).filter(
    ({ type, data }) => type === "session.updated" && data.agent_process === "none",
  )
  expect(stops).toEqual([])
})
