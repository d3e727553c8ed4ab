import { afterAll, beforeAll, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { Follower, hashOfFollower, hashOfTurn, storedTexts, turnEnded } from "./follower.ts"
import { metricBecomes } from "./raw-stream.ts"

let daemon: TestDaemon
beforeAll(async () => {
  // No heartbeats: they come when they come, and the bytes are compared.
  daemon = await startDaemon({ intervals: { heartbeatMs: 600_000 } })
  await daemon.api.create("crowd")
})
afterAll(() => daemon[Symbol.asyncDispose]())

test("each of 100 readers gets all events of a turn of 20,000 deltas, the same bytes", async () => {
  const { api } = daemon
  const from = (await api.session("crowd")).lastSequence
  const kept = new Follower("crowd", from)
  const reading = kept.read(api, turnEnded)
  const hashes = Array.from({ length: 99 }, () => hashOfTurn(api, "crowd", from))
  await metricBecomes(daemon, "streams_open", 100)
  await api.send("crowd", "/stream 20000")
  await reading
  expect(new Set(await Promise.all(hashes))).toEqual(new Set([hashOfFollower(kept)]))
  expect(kept.texts.filter((text) => text.includes('"type":"item.delta"')).length).toBe(20_000)
  expect((await storedTexts(api, "crowd", from)).startsWith(kept.texts.join(","))).toBe(true)
})
