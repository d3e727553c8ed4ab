import { readFileSync } from "node:fs"
import { full, rounds } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { openReaders, type Readers } from "../../../../bench/client/readers.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { halt } from "../supervisor/processes.ts"
import { metric, metricBecomes } from "./raw-stream.ts"

const MiB = 1024 * 1024
/** Longer than any test: whoever is stopped meanwhile must not take that for silence. */
const patienceMs = 3_600_000

/** The most memory the daemon ever had. */
const peak = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) * 1024

/** Readers of a session in processes of their own, a hundred or so in each. */
async function crowd(daemon: TestDaemon, id: string, count: number, from: number, until?: number): Promise<Readers[]> {
  const each = 125
  const opened: Readers[] = []
  for (let left = count; left > 0; left -= each)
    opened.push(
      await openReaders({
        port: Number(new URL(daemon.url).port),
        path: `/v1/sessions/${id}/events/sse?offset=${from}`,
        token: daemon.token,
        count: Math.min(left, each),
        from,
        marker: '"turn.ended"',
        quietMs: patienceMs,
        until,
      }),
    )
  return opened
}

async function whatTheyGot(readers: readonly Readers[]) {
  const results = await Promise.all(readers.map(({ result }) => result))
  const sum = (pick: "delivered" | "lost" | "duplicated") => results.reduce((all, result) => all + result[pick], 0)
  return { delivered: sum("delivered"), lost: sum("lost"), duplicated: sum("duplicated") }
}

test("many readers of a long turn, half of them stalled, lose nothing and cost bounded memory", async () => {
  // However long the others take: whoever is stopped is not to be taken for gone.
  await using daemon = await startDaemon({ flags: ["--stalled-reader-seconds", "3600"] })
  const { api } = daemon
  await api.create("one")
  const { lastSequence: from } = await api.session("one")
  const count = rounds(100, 1_000)
  const live = await crowd(daemon, "one", count / 2, from)
  const stalled = await crowd(daemon, "one", count / 2, from)
  try {
    for (const { pid } of stalled) await halt(pid)
    // The whole text comes once more at its end, as one event of 8 MB.
    await api.send("one", full ? "/stream 20000 400" : "/stream 2000 4000")
    const got = await whatTheyGot(live)
    const { lastSequence } = await api.session("one")
    expect(got).toEqual({ delivered: (count / 2) * (lastSequence - from), lost: 0, duplicated: 0 })
    // A copy of that event for each of them would be 400 MB or more, and of all they have not taken twice as much.
    expect(peak(daemon.pid)).toBeLessThan(rounds(320, 512) * MiB)
    expect(await metric(daemon, "stream_waiting_bytes")).toBeGreaterThan(0)
    for (const { pid } of stalled) process.kill(pid, "SIGCONT")
    expect(await whatTheyGot(stalled)).toEqual(got)
    expect(peak(daemon.pid)).toBeLessThan(rounds(320, 512) * MiB)
    await metricBecomes(daemon, "streams_open", 0)
    expect(await metric(daemon, "stream_waiting_bytes")).toBe(0)
  } finally {
    for (const reader of [...live, ...stalled]) reader.kill()
  }
}, 600_000)

test("messages to other sessions, and health, are answered while many replay", async () => {
  await using daemon = await startDaemon()
  const { api } = daemon
  await api.create("past")
  await api.create("now")
  await api.turn("now", "warm")
  for (let turn = 0; turn < 4; turn++) await api.turn("past", "/stream 2000 4000")
  const { lastSequence } = await api.session("past")
  const readers = await crowd(daemon, "past", 20, 0, lastSequence)
  try {
    let isOver = false
    const replayed = whatTheyGot(readers).finally(() => {
      isOver = true
    })
    let answered = 0
    while (!isOver) {
      await api.turn("now", "hello")
      expect((await api.call("GET", "/v1/health")).status).toBe(200)
      if (!isOver) answered++
    }
    expect(await replayed).toEqual({ delivered: 20 * lastSequence, lost: 0, duplicated: 0 })
    // More than a gigabyte is replayed; when readers could take all they wanted, four were answered meanwhile.
    expect(answered).toBeGreaterThan(15)
  } finally {
    for (const reader of readers) reader.kill()
  }
}, 300_000)
