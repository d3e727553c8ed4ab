import { limits } from "@sandbox-agent/schema/limits"
import { afterAll, beforeAll, expect, test } from "vitest"
import { resolveServerConfig } from "../../src/cli/config.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { metric, metricBecomes, RawStream } from "../streaming/raw-stream.ts"
import { Stallable } from "../streaming/stallable.ts"
import { overfill } from "./overfill.ts"

/** Bun cuts a connection up to four seconds after it was asked to. */
const timeout = 100_000
/** What curl says. */
const closedWithinAnswer = 18

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(() => daemon[Symbol.asyncDispose]())

overfill(["streams"], "one more is refused with 429, before a message is taken, and has room again later", async () => {
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

overfill(["streams"], "too many at the same moment are not let in either", async () => {
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

test("a reader may take nothing for stalledReaderSeconds, or as long as the server is started with", () => {
  const seconds = (...argv: string[]) => resolveServerConfig(argv, {}).stalledReaderSeconds
  expect(seconds()).toBe(limits.stalledReaderSeconds)
  expect(seconds("--stalled-reader-seconds", "7")).toBe(7)
  expect(() => seconds("--stalled-reader-seconds", "0")).toThrow(/whole number from 1/)
})

overfill(
  ["stalledReaderSeconds"],
  "a reader that takes nothing for longer is closed, also while the kernel holds all there is for it",
  async () => {
    await using daemon = await startDaemon({ flags: ["--stalled-reader-seconds", "1"] })
    const { api } = daemon
    await api.create("one")
    const stalled = new Stallable(daemon, "one")
    await metricBecomes(daemon, "streams_open", 1)
    await stalled.stall()
    // More than its own kernel takes, less than ours does.
    await api.send("one", "/stream 3000 100")
    await expect.poll(async () => (await api.session("one")).status, { timeout }).toBe("idle")
    await metricBecomes(daemon, "streams_open", 0, timeout)
    stalled.goOn()
    expect(await stalled.exited).toBe(closedWithinAnswer)
  },
  { timeout: 120_000 },
)
