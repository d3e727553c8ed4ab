import { expect, test } from "vitest"
import { WatchedReader } from "../../src/faces/http/stalled-readers.ts"
import type { Api } from "../harness/api.ts"
import { startDaemon } from "../harness/daemon.ts"
import { storedTexts } from "./follower.ts"
import { metric, metricBecomes, RawStream } from "./raw-stream.ts"
import { SlowReader } from "./slow-reader.ts"
import { framesOf, Stallable } from "./stallable.ts"

const KiB = 1024
/** More than the kernels of both sides hold for one connection. */
const flood = "/stream 3000 3000"
/** These tests have more time than most: Bun cuts a connection up to four seconds after it was asked to. */
const timeout = 100_000
/** What curl says when the connection is closed within the answer. */
const cut = 18

/** Seen without a stream: this process may be held up for so long that its own would be closed as well. */
async function settled(api: Api): Promise<void> {
  await expect.poll(async () => (await api.session("one")).status, { timeout }).toBe("idle")
}

test("a reader that takes nothing is closed and comes back with its cursor; one that reads and one with nothing to read stay", async () => {
  // Long enough for one that does nothing but read, however busy the machine is.
  await using daemon = await startDaemon({ flags: ["--stalled-reader-seconds", "4"] })
  const { api } = daemon
  await api.create("one")
  await api.create("quiet")
  const { lastSequence: before } = await api.session("quiet")
  const quiet = new RawStream(daemon, `/v1/sessions/quiet/events/sse?offset=${before}`)
  await quiet.until((text) => text.includes("retry:"))
  const stalled = new Stallable(daemon, "one")
  await metricBecomes(daemon, "streams_open", 2)
  await stalled.stall()
  const reader = new Stallable(daemon, "one")
  await metricBecomes(daemon, "streams_open", 3)
  await api.send("one", flood)
  await settled(api)
  await metricBecomes(daemon, "streams_open", 2, timeout)
  // Still stopped: nothing but the daemon can have closed it.
  stalled.goOn()
  expect(await stalled.exited).toBe(cut)
  expect(daemon.stderr().match(/its client took nothing/g)).toHaveLength(1)

  await api.turn("one", "the one that reads is still there")
  const { lastSequence } = await api.session("one")
  const { ids, texts } = stalled.got()
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => i + 1))
  expect(ids.length).toBeLessThan(lastSequence)
  const again = await new Stallable(daemon, "one", `events/sse?offset=${ids.length}`).complete(lastSequence)
  const stored = await storedTexts(api, "one")
  expect([...texts, ...again.texts].join(",") === stored, "what it got before and after").toBe(true)

  await api.turn("quiet", "so is the one that had nothing to read")
  await quiet.until((text) => text.includes("turn.ended"))
  const whole = await reader.complete(lastSequence)
  expect(whole.texts.join(",") === stored, "what the other one got").toBe(true)
}, 120_000)

test("a heartbeat that nobody takes is no sign of life, one that is taken is", () => {
  const reader = new WatchedReader(new Request("http://localhost/"))
  reader.hasAll = true
  let queue = 5 * KiB
  const heartbeat = (taken: number) => {
    reader.given += 14
    queue += 19 - taken
    return reader.look(queue)
  }
  expect([heartbeat(0), heartbeat(0), reader.look(queue), heartbeat(0)]).toEqual([0, 1, 2, 3])
  expect([heartbeat(19), heartbeat(0), heartbeat(KiB)]).toEqual([0, 1, 0])
  // Everything was taken, however often one looks.
  expect([heartbeat(queue + 19), reader.look(0), reader.look(0)]).toEqual([0, 0, 0])
})

test("the stream of a message and one with raw lines are closed as well, and the turn goes on", async () => {
  await using daemon = await startDaemon({ flags: ["--stalled-reader-seconds", "1"] })
  const { api } = daemon
  await api.create("one")
  const message = JSON.stringify({ message: `/question\n${flood}` })
  const post = ["-H", "content-type: application/json", "-d", message]
  const stalled = [
    new Stallable(daemon, "one", "messages/stream", post),
    new Stallable(daemon, "one", "events/sse?include_raw=true"),
  ]
  await metricBecomes(daemon, "streams_open", stalled.length)
  const { data } = await api.until("one", "question.requested")
  for (const reader of stalled) await reader.stall()
  await api.ok("POST", `/v1/sessions/one/questions/${data.question_id}/reply`, { answers: [["Red"]] })
  await settled(api)
  const { lastSequence } = await api.session("one")
  const ended = (await api.events("one", "", lastSequence - 10)).find(({ type }) => type === "turn.ended")
  expect(ended?.data).toMatchObject({ stop_reason: "end_turn" })
  await metricBecomes(daemon, "streams_open", 0, timeout)
  for (const reader of stalled) reader.goOn()
  expect(await Promise.all(stalled.map(({ exited }) => exited))).toEqual([cut, cut])
}, 120_000)

test.each(["events/sse", "items"])(
  "one that wakes up after it was given up is cut, not ended: %s",
  async (path) => {
    await using daemon = await startDaemon({ flags: ["--stalled-reader-seconds", "1"] })
    const { api } = daemon
    await api.create("one")
    // Of each several times what the kernels hold.
    for (let i = 0; i < 3; i++) await api.turn("one", "/stream 60 200000")
    const reader = new Stallable(daemon, "one", path, ["--limit-rate", "4M"])
    await expect.poll(() => reader.bytes, { timeout }).toBeGreaterThan(0)
    await reader.stall()
    await expect.poll(() => daemon.stdout() + daemon.stderr(), { timeout }).toContain("a stream was closed")
    reader.goOn()
    expect(await reader.exited).toBe(cut)
  },
  120_000,
)

test("a reader that is slow but takes a little all the time is not closed", async () => {
  await using daemon = await startDaemon({ flags: ["--stalled-reader-seconds", "4"] })
  const { api } = daemon
  await api.create("one")
  await api.turn("one", flood)
  // At this pace its socket has room for more every eight seconds.
  const slow = new SlowReader(daemon, "one")
  const text = await slow.read({ bytes: 16 * KiB, pauseMs: 100, until: 2_000 * KiB })
  expect(await metric(daemon, "streams_open")).toBe(1)
  slow.end()
  const ids = framesOf(text).ids
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => i + 1))
  await metricBecomes(daemon, "streams_open", 0)
}, 300_000)
