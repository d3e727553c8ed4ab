import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { Follower, storedTexts, turnEnded } from "./follower.ts"
import { metricBecomes } from "./raw-stream.ts"
import { Stallable } from "./stallable.ts"

const MiB = 1024 * 1024

const rss = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024

test("stalled readers cost bounded memory, slow nobody, and get everything once they read again", async () => {
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("one")
  // Warm, so that the growth below is the stall's and not the first turn's.
  await api.turn("one", "/stream 20000")
  const stalled = Array.from({ length: 8 }, () => new Stallable(daemon, "one"))
  await metricBecomes(daemon, "streams_open", stalled.length)
  for (const reader of stalled) await reader.stall()
  const before = rss(daemon.pid)
  const { lastSequence: from } = await api.session("one")
  const reader = new Follower("one", from)
  const watch = reader.read(api, turnEnded)
  await api.send("one", "/stream 20000 400")
  await watch
  expect(reader.texts.filter((text) => text.includes('"type":"item.delta"')).length).toBe(20_000)
  const streamed = reader.texts.reduce((sum, text) => sum + text.length, 0)
  expect(streamed).toBeGreaterThan(20 * MiB)
  // Eight queues of what was streamed would be 160 MB and more.
  expect(rss(daemon.pid) - before).toBeLessThan(120 * MiB)

  const { lastSequence } = await api.session("one")
  for (const each of stalled) each.goOn()
  const stored = await storedTexts(api, "one")
  for (const each of stalled) {
    const read = await each.complete(lastSequence)
    expect(read.ids).toEqual(Array.from({ length: lastSequence }, (_, i) => i + 1))
    expect(read.texts.join(",") === stored, "the bytes of a reader that stalled").toBe(true)
  }
  for (const each of stalled) each.end()
  await metricBecomes(daemon, "streams_open", 0)
}, 120_000)

test("a stalled reader that never comes back is noticed when it goes, with what it had not read", async () => {
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("one")
  await api.turn("one", "/stream 3000 3000")
  const stalled = Array.from({ length: 4 }, () => new Stallable(daemon, "one"))
  await metricBecomes(daemon, "streams_open", 4)
  for (const reader of stalled) await reader.stall()
  await api.turn("one", "/stream 3000 3000")
  for (const reader of stalled) reader.end()
  await metricBecomes(daemon, "streams_open", 0)
})
