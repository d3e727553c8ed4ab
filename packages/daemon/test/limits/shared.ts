import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { expect } from "vitest"
import { backoff, defaults, Pool, type Shared } from "../../src/drivers/shared/pool.ts"
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
  const server = { said: 0, ask: async () => {}, stop: async () => stopped.resolve() }
  const lease = await pool.lease("key", { lost: () => undefined }, async () => server)
  lease.release()
  await stopped.promise
})

overfill(["hungOpenings"], "a server that leaves so many openings without an answer gets no more of them", async () => {
  const pool = new Pool<Shared & { said: number }>()
  const member = () => ({ lost: () => undefined })
  const start = async () => ({ said: 0, ask: async () => {}, stop: async () => {} })
  const kept = await pool.lease("key", member(), start)
  for (let n = 1; n <= limits.hungOpenings; n++) {
    const impatient = new AbortController()
    const { server, release } = await pool.lease("key", member(), start, { signal: impatient.signal })
    expect(server).toBe(kept.server)
    server.said++
    impatient.abort(new SandboxAgentError("timeout", "no answer"))
    release()
  }
  const next = await pool.lease("key", member(), start)
  expect(next.server).not.toBe(kept.server)
  for (const lease of [kept, next]) lease.release()
})
