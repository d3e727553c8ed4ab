import type { Database } from "bun:sqlite"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { follow } from "../../src/faces/http/sse.ts"
import { StalledReaders } from "../../src/faces/http/stalled-readers.ts"
import { LiveDatabase } from "../../src/store/live-database.ts"
import { Log } from "../../src/store/log.ts"
import { LogReader } from "../../src/store/reader.ts"
import { cutOldEvents } from "../../src/store/retention.ts"
import { Store } from "../../src/store/store.ts"
import type { Api } from "../harness/api.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { Follower } from "../streaming/follower.ts"
import { keptDirectory, withDatabase } from "./database.ts"

const DAY = 86_400_000
const quick = { tidyMs: 100 }

/** Sessions with some turns each, of a daemon that was stopped. */
async function filled(sessions: Record<string, number>): Promise<{ dataDir: string; items: Map<string, unknown> }> {
  const dataDir = keptDirectory()
  await using daemon = await startDaemon({ dataDir })
  const items = new Map<string, unknown>()
  for (const [id, turns] of Object.entries(sessions)) {
    await daemon.api.create(id)
    for (let n = 1; n <= turns; n++) await daemon.api.turn(id, `/stream 300\n/echo turn ${n} of ${id}`)
    items.set(id, (await daemon.api.items(id)).items)
  }
  return { dataDir, items }
}

const turnEnds = (db: Database, id: string): number[] =>
  (
    db
      .query("SELECT ended_seq FROM turns JOIN sessions USING (uid) WHERE sessions.id = ? ORDER BY ended_seq")
      .all(id) as { ended_seq: number }[]
  ).map((row) => row.ended_seq)

const sizes = {
  log: "SELECT coalesce(sum(size), 0) AS bytes FROM log",
  raw: "SELECT (SELECT coalesce(sum(raw_size), 0) FROM log) + (SELECT coalesce(sum(size), 0) FROM raw) AS bytes",
}
const bytes = (db: Database, part: keyof typeof sizes): number =>
  (db.query(sizes[part]).get() as { bytes: number }).bytes

/** Nothing tells that events were cut; the daemon looks now and then. */
async function firstBecomes(api: Api, id: string, wanted: number): Promise<void> {
  await expect.poll(async () => (await api.session(id)).firstSequence).toBe(wanted)
}

async function expectGone({ api }: TestDaemon, id: string, firstSequence: number): Promise<void> {
  const path = `/v1/sessions/${id}/events`
  for (const answer of [
    await api.call("GET", `${path}?offset=0`),
    await api.call("GET", `${path}?offset=${firstSequence - 2}`),
    await api.call("GET", `${path}/sse?offset=0`),
    await api.call("GET", `${path}/sse?offset=${firstSequence}`, undefined, { "last-event-id": "1" }),
  ]) {
    expect(answer.status).toBe(410)
    expect(answer.body).toMatchObject({ type: "urn:sandbox-agent:error:gone", firstSequence })
  }
  const { events } = await api.ok<{ events: { sequence: number }[] }>(
    "GET",
    `${path}?offset=${firstSequence - 1}&limit=1`,
  )
  expect(events.map((event) => event.sequence)).toEqual([firstSequence])
  const kept = new Follower(id, firstSequence - 1)
  await kept.read(api, () => true)
  expect(kept.last).toBe(firstSequence)
}

test("by age: what is older goes, up to a turn end; cursors below are gone; items stay; new turns go on", async () => {
  const { dataDir, items } = await filled({ old: 4, young: 2, unseen: 2 })
  const [second = 0, third = 0] = withDatabase(dataDir, (db) => {
    // Two turns are three days old; the third began in that time and ended later.
    const ends = turnEnds(db, "old")
    db.run("UPDATE turns SET ended_at = ? WHERE ended_seq <= ? AND uid = (SELECT uid FROM sessions WHERE id = 'old')", [
      Date.now() - 3 * DAY,
      ends[1] ?? 0,
    ])
    db.run("UPDATE turns SET ended_at = 1 WHERE uid = (SELECT uid FROM sessions WHERE id = 'unseen')")
    return ends.slice(1)
  })
  await using daemon = await startDaemon({ dataDir, flags: ["--retention-days", "2"], intervals: quick })
  const { api } = daemon
  await firstBecomes(api, "old", second + 1)
  await expectGone(daemon, "old", second + 1)
  expect(await api.events("old", "").catch((error: unknown) => String(error))).toContain("410")
  const { events } = await api.ok<{ events: { sequence: number; type: string }[] }>(
    "GET",
    "/v1/sessions/old/events?limit=1000",
  )
  expect(events[0]?.sequence).toBe(second + 1)
  expect(events.find((event) => event.type === "turn.ended")?.sequence).toBe(third)
  for (const id of ["old", "young"]) expect((await api.items(id)).items).toEqual(items.get(id))
  expect((await api.session("young")).firstSequence).toBe(1)
  expect((await api.turn("old", "goes on")).at(-1)?.type).toBe("turn.ended")
  daemon.kill()
  await daemon.exited
  // Nobody had looked at this one, so it was cut on disk alone.
  withDatabase(dataDir, (db) => {
    const ends = turnEnds(db, "unseen")
    const sql =
      "SELECT first_seq, (SELECT min(seq) FROM log WHERE log.uid = sessions.uid) AS kept FROM sessions WHERE id = 'unseen'"
    const { first_seq, kept } = db.query(sql).get() as { first_seq: number; kept: number | null }
    expect([first_seq, kept ?? first_seq]).toEqual([(ends[1] ?? 0) + 1, (ends[1] ?? 0) + 1])
  })
  await using again = await startDaemon({ dataDir })
  expect((await again.api.turn("unseen", "goes on too"))[0]?.sequence).toBeGreaterThan(
    (await again.api.session("unseen")).firstSequence - 1,
  )
  expect((await again.api.session("old")).firstSequence).toBe(second + 1)
  await expectGone(again, "old", second + 1)
})

test("by size: the oldest turns of all sessions go until the rest fits, each cut at a turn end", async () => {
  const { dataDir, items } = await filled({ first: 3, second: 3 })
  const { limit, ends } = withDatabase(dataDir, (db) => ({
    limit: Math.round((bytes(db, "log") + bytes(db, "raw")) / 2),
    ends: turnEnds(db, "first"),
  }))
  await using daemon = await startDaemon({ dataDir, flags: ["--retention-bytes", String(limit)], intervals: quick })
  await firstBecomes(daemon.api, "first", (ends.at(-1) ?? 0) + 1)
  for (const id of ["first", "second"]) expect((await daemon.api.items(id)).items).toEqual(items.get(id))
  await daemon.stop()
  withDatabase(dataDir, (db) => {
    expect(bytes(db, "log") + bytes(db, "raw")).toBeLessThanOrEqual(limit)
    const cut = db.query("SELECT first_seq FROM sessions WHERE id = 'second'").get() as { first_seq: number }
    expect([0, ...turnEnds(db, "second")]).toContain(cut.first_seq - 1)
    expect(turnEnds(db, "second").at(-1)).toBeGreaterThan(cut.first_seq)
  })
})

test("raw lines go before any event does", async () => {
  const { dataDir } = await filled({ one: 3 })
  withDatabase(dataDir, (db) => {
    const [log, raw] = [bytes(db, "log"), bytes(db, "raw")]
    expect(raw).toBeGreaterThan(10_000)
    expect(cutOldEvents(new LiveDatabase(db), { bytes: log + raw - 1 }, Date.now() + 1)).toEqual([])
    expect([bytes(db, "log"), bytes(db, "raw") < raw]).toEqual([log, true])
    expect(cutOldEvents(new LiveDatabase(db), { bytes: log - 1 }, Date.now() + 1)).toEqual([
      { uid: 1, firstSeq: (turnEnds(db, "one")[0] ?? 0) + 1 },
    ])
    expect(bytes(db, "log")).toBeLessThan(log)
  })
})

test("off by default: however old, nothing goes", async () => {
  const { dataDir } = await filled({ one: 2 })
  withDatabase(dataDir, (db) => db.run("UPDATE turns SET ended_at = 1"))
  await using daemon = await startDaemon({ dataDir, flags: ["--idle-stop-ms", "1"], intervals: quick })
  const { sequence } = (await daemon.api.turn("one", "awake")).at(-1) ?? { sequence: 0 }
  // The idle agent is stopped by the same round that would cut.
  await daemon.api.until("one", "session.updated", ({ data }) => data.agent_process === "none", sequence)
  expect((await daemon.api.session("one")).firstSequence).toBe(1)
  expect((await daemon.api.events("one"))[0]?.sequence).toBe(1)
})

test("a reader that the cut overtakes is ended, not left waiting: it comes back and is told", async () => {
  const store = new Store({ kind: "memory", directory: keptDirectory() })
  const log = new Log(1)
  const append = (sequence: number) => {
    store.append(log, sequence, JSON.stringify({ sequence }), 0)
    store.flush()
  }
  for (let n = 1; n <= 10; n++) append(n)
  log.dropTail()
  const stalled = new StalledReaders(limits.stalledReaderSeconds, () => {})
  const request = new Request("http://localhost/")
  const stream = follow({ log, reader: new LogReader(store.db), cursor: 2, request, stalled })
  await stream.next()
  store.db.run("DELETE FROM log WHERE uid = 1 AND seq <= 8")
  log.first = 9
  const next = stream.next()
  append(11)
  expect((await next).done).toBe(true)
  store.close()
})
