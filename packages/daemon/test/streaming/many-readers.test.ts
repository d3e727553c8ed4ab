import { limits } from "@sandbox-agent/schema/limits"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { Follower, hashOfFollower, hashOfTurn, storedTexts, turnEnded } from "./follower.ts"
import { metric, metricBecomes, RawStream } from "./raw-stream.ts"

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

test("one stream more than the limit is refused with 429, before a message is taken, and has room again later", async () => {
  const { api } = daemon
  await metricBecomes(daemon, "streams_open", 0)
  await api.create("full")
  const { lastSequence } = await api.session("full")
  const open: RawStream[] = []
  // In batches: a listen queue holds only so many connections that nobody has accepted.
  while (open.length < limits.streams) {
    const batch = Array.from(
      { length: 100 },
      () => new RawStream(daemon, `/v1/sessions/full/events/sse?offset=${lastSequence}`),
    )
    await Promise.all(batch.map((stream) => stream.until((text) => text.includes("retry:"))))
    open.push(...batch)
  }
  expect(await metric(daemon, "streams_open")).toBe(limits.streams)
  const refused = { type: "urn:sandbox-agent:error:too_many_requests", limit: limits.streams }
  for (const answer of [
    await api.call("GET", "/v1/sessions/full/events/sse"),
    await api.call("GET", "/v1/events/sse"),
    await api.call("POST", "/v1/sessions/full/messages/stream", { message: "lost?" }),
  ]) {
    expect(answer.status).toBe(429)
    expect(answer.body).toMatchObject(refused)
  }
  // Nothing but streams is refused, and those that are open go on.
  const last = open.at(-1)
  const ended = last?.until((text) => text.includes("turn.ended"))
  await api.send("full", "one")
  expect(await ended).not.toContain("lost?")
  for (const stream of open) stream.close()
  await metricBecomes(daemon, "streams_open", 0)
  expect((await api.turn("full", "two")).at(-1)?.type).toBe("turn.ended")
})

test("too many at the same moment are not let in either", async () => {
  const { api } = daemon
  const streams: RawStream[] = []
  // Connected first, and seen to be: of more than a listen queue holds some would try for a minute to get in.
  while (streams.length < limits.streams + 50) {
    const batch = Array.from({ length: 50 }, () => new RawStream(daemon, "/v1/health"))
    // To its last byte: what comes later would stand before the next answer.
    await Promise.all(batch.map((stream) => stream.until((text) => /\r\n\r\n[\s\S]*\}$/.test(text))))
    streams.push(...batch)
  }
  for (const stream of streams) stream.ask("/v1/sessions/full/events/sse")
  await Promise.all(
    streams.map((stream) => stream.until((text) => text.includes("retry:") || text.includes("too_many_requests"))),
  )
  expect(streams.filter((stream) => stream.status === 200).length).toBe(limits.streams)
  expect(streams.filter((stream) => stream.status === 429).length).toBe(50)
  for (const stream of streams) stream.close()
  await metricBecomes(daemon, "streams_open", 0)
  expect((await api.session("full")).status).toBe("idle")
})
