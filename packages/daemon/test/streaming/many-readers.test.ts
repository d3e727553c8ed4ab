import { afterAll, beforeAll, expect, test } from "vitest"
import { limits } from "@sandbox-agent/schema/limits"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { Follower, storedTexts, turnEnded } from "./follower.ts"
import { metric, metricBecomes, RawStream } from "./raw-stream.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon()
  await daemon.api.create("crowd")
})
afterAll(() => daemon[Symbol.asyncDispose]())

test("each of 100 readers gets all events of a turn of 20,000 deltas, the same bytes", async () => {
  const { api } = daemon
  const from = (await api.session("crowd")).lastSequence
  const hashes = Array.from({ length: 100 }, async () => {
    const hash = new Bun.CryptoHasher("sha1")
    const reader = new Follower("crowd", from)
    let read = 0
    await reader.read(api, (text) => {
      hash.update(`${text},`)
      read++
      return turnEnded(text)
    })
    return `${read} ${hash.digest("hex")}`
  })
  await metricBecomes(daemon, "streams_open", 100)
  await api.send("crowd", "/stream 20000")
  const seen = new Set(await Promise.all(hashes))
  const stored = await storedTexts(api, "crowd", from)
  const texts = stored.slice(0, stored.indexOf('"type":"turn.ended"'))
  expect(texts.split('"type":"item.delta"').length - 1).toBe(20_000)
  const { events } = await api.ok<{ events: { sequence: number; type: string }[] }>("GET", `/v1/sessions/crowd/events?offset=${from + 20_000}&limit=1000`)
  const end = events.find((event) => event.type === "turn.ended")?.sequence ?? 0
  expect([...seen].map((text) => text.split(" ")[0])).toEqual([String(end - from)])
})

test("one stream more than the limit is refused with 429, before a message is taken, and has room again later", async () => {
  const { api } = daemon
  await metricBecomes(daemon, "streams_open", 0)
  await api.create("full")
  const { lastSequence } = await api.session("full")
  const open: RawStream[] = []
  // In batches: a listen queue holds only so many connections that nobody has accepted.
  while (open.length < limits.streams) {
    const batch = Array.from({ length: 100 }, () => new RawStream(daemon, `/v1/sessions/full/events/sse?offset=${lastSequence}`))
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
  const streams = Array.from({ length: limits.streams + 50 }, () => new RawStream(daemon, "/v1/sessions/full/events/sse"))
  await Promise.all(streams.map((stream) => stream.until((text) => text.includes("retry:") || text.includes("too_many_requests"))))
  expect(streams.filter((stream) => stream.status === 200).length).toBe(limits.streams)
  expect(streams.filter((stream) => stream.status === 429).length).toBe(50)
  for (const stream of streams) stream.close()
  await metricBecomes(daemon, "streams_open", 0)
  expect((await api.session("full")).status).toBe("idle")
})
