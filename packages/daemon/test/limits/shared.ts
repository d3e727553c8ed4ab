import { limits } from "@sandbox-agent/schema/limits"
import { expect } from "vitest"
import { backoff, defaults, Pool } from "../../src/drivers/shared/pool.ts"
import { overfill } from "./overfill.ts"

overfill(
  ["sharedBackoffMs", "sharedBackoffMaxMs"],
  "the first wait, doubled by every further death up to the longest",
  () => {
    expect(backoff(1, defaults)).toBe(0)
    expect(backoff(2, defaults)).toBe(limits.sharedBackoffMs)
    expect(backoff(3, defaults)).toBe(2 * limits.sharedBackoffMs)
    expect(backoff(1_000, defaults)).toBe(limits.sharedBackoffMaxMs)
  },
)

overfill(["sharedLingerMs"], "a server that nobody uses ends", async () => {
  expect(defaults.lingerMs).toBe(limits.sharedLingerMs)
  const stopped = Promise.withResolvers<void>()
  const pool = new Pool({ lingerMs: 1 })
  const server = { said: 0, stop: async () => stopped.resolve() }
  const lease = await pool.lease("key", { lost: () => undefined }, async () => server)
  lease.release()
  await stopped.promise
})
