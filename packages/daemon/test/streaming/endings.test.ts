import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { Follower, turnEnded } from "./follower.ts"
import { metricBecomes, RawStream } from "./raw-stream.ts"

test("clients that leave are forgotten: while they wait, while they are sent to, and before they were answered", async () => {
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("one")
  await api.turn("one", "/stream 5000")
  const { lastSequence } = await api.session("one")
  for (let round = 0; round < 10; round++) {
    const waiting = Array.from(
      { length: 10 },
      () => new RawStream(daemon, `/v1/sessions/one/events/sse?offset=${lastSequence}`),
    )
    const busy = Array.from({ length: 8 }, () => new RawStream(daemon, "/v1/sessions/one/events/sse"))
    const hasty = Array.from({ length: 4 }, () => new RawStream(daemon, "/v1/sessions/one/events/sse"))
    for (const stream of hasty) stream.close()
    await Promise.all(waiting.map((stream) => stream.until((text) => text.includes("retry:"))))
    await Promise.all(busy.map((stream) => stream.until((text) => text.includes("id: 1\n"))))
    for (const stream of [...waiting, ...busy]) stream.close()
  }
  await metricBecomes(daemon, "streams_open", 0)
  expect((await api.turn("one", "still here")).at(-1)?.type).toBe("turn.ended")
})

test("clients that leave in the middle of a turn, also of messages/stream, do not end it", async () => {
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("one")
  const abort = new AbortController()
  const posted = await fetch(`${api.url}/v1/sessions/one/messages/stream`, {
    method: "POST",
    headers: { ...api.headers, "content-type": "application/json" },
    body: JSON.stringify({ message: "/stream 30000\n/echo to the end" }),
    signal: abort.signal,
  })
  const stream = new RawStream(daemon, "/v1/sessions/one/events/sse")
  await stream.until((text) => text.includes("item.delta"))
  stream.close()
  await posted.body?.getReader().read()
  abort.abort()
  const ended = await api.until("one", "turn.ended")
  expect(ended.data.stop_reason).toBe("end_turn")
  await metricBecomes(daemon, "streams_open", 0)
})

test("a deleted session's streams end after its last event, and the global stream tells it", async () => {
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("one")
  const all = new RawStream(daemon, "/v1/events/sse")
  await all.until((text) => text.includes("retry:"))
  const readers = Array.from({ length: 5 }, () => new Follower("one"))
  const reads = readers.map((reader) => reader.read(api))
  // One that came after the end would be told that there is no such session.
  await metricBecomes(daemon, "streams_open", readers.length + 1)
  await api.send("one", "/sleep 60000")
  await api.until("one", "turn.started")
  await api.ok("DELETE", "/v1/sessions/one")
  await Promise.all(reads)
  for (const reader of readers) {
    expect(reader.texts).toEqual(readers[0]?.texts)
    const types = reader.texts.map((text) => (JSON.parse(text) as { type: string }).type)
    expect(types.slice(types.indexOf("turn.ended"))).toContain("session.ended")
  }
  await all.until((text) => text.includes('"session.deleted"'))
  all.close()
  expect((await api.call("GET", "/v1/sessions/one/events/sse")).status).toBe(404)
  // The id is free at once, and its log begins anew.
  await api.create("one")
  expect((await api.events("one"))[0]).toMatchObject({ sequence: 1, type: "session.started" })
})

test("streams end when the daemon stops, after the end of their turn", async () => {
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("busy")
  await api.create("idle")
  const busy = Array.from({ length: 3 }, () => new Follower("busy"))
  const idle = new Follower("idle")
  const all = new RawStream(daemon, "/v1/events/sse")
  const reads = [...busy, idle].map((reader) => reader.read(api))
  await api.send("busy", "/sleep 60000")
  await api.until("busy", "turn.started")
  await metricBecomes(daemon, "streams_open", 5)
  expect(await daemon.stop()).toBe(0)
  await Promise.all([...reads, all.closed])
  for (const reader of busy) expect(reader.texts.find(turnEnded)).toContain("daemon_stopping")
  expect(idle.texts.some((text) => text.includes("session.ended"))).toBe(false)
})
