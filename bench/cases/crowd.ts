import { bothOfOurs, type Case, type OurTarget } from "../case.ts"
import { openReaders, type Readers } from "../client/readers.ts"
import { now } from "../measure/clock.ts"
import { peakRssMb } from "../measure/process.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { percentile } from "../measure/stats.ts"
import { atMost, figure, type Row } from "../row.ts"
import type { Running, Session } from "../target/target.ts"

const readers = 1_000
/** With the envelope of each event some 40 MB, and the whole text of 8 MB once more at its end. */
const turn = "/stream 80000 100"
const replayers = 20
const replayedTurns = 4

/** In processes of 250, because a listen queue holds only so many connections that nobody has accepted. */
async function open(
  server: Running,
  session: Session,
  count: number,
  from: number,
  until?: number,
): Promise<Readers[]> {
  const each = 250
  const opened: Readers[] = []
  const { port, token } = server
  const what = { port, token, path: session.eventsPath(from), from, marker: session.marker, quietMs: 600_000, until }
  for (let left = count; left > 0; left -= each)
    opened.push(await openReaders({ ...what, count: Math.min(left, each) }))
  return opened
}

async function results(opened: readonly Readers[]): Promise<{ lost: number; bytes: number }> {
  const all = await Promise.all(opened.map(({ result }) => result))
  const lost = all.reduce((sum, result) => sum + result.lost + result.duplicated, 0)
  return { lost, bytes: all.reduce((sum, result) => sum + result.bytes, 0) }
}

async function watching({ target, of }: OurTarget, stalled: number): Promise<Row[]> {
  const server = await target.start()
  const session = await server.openSession("crowd")
  await waitForQuiet(5_000)
  const from = await session.lastSequence()
  const live = await open(server, session, readers - stalled, from)
  const stopped = await open(server, session, stalled, from)
  for (const { pid } of stopped) process.kill(pid, "SIGSTOP")
  const began = now()
  const { peak, result } = await peakRssMb(server.pid, async () => {
    await session.send(turn)
    return results(live)
  })
  const seconds = (now() - began) / 1_000
  for (const one of [...live, ...stopped]) one.kill()
  await server.stop()
  const name = `${readers} readers of a turn of 40 MB${stalled > 0 ? `, ${stalled} of them stalled` : ""}${of}`
  return [
    {
      name: `${name}: peak RSS`,
      unit: "MB",
      ours: peak,
      bar: atMost(peak, 256, "MB"),
      note: rate(result.bytes, seconds),
    },
    { name: "    lost or duplicated", unit: "", ours: result.lost, bar: atMost(result.lost, 0, "") },
  ]
}

const rate = (bytes: number, seconds: number): string =>
  `${figure(seconds)} s, ${figure(bytes / 1e6 / seconds)} MB a second`

/** Turns of another session, one after the other, while many read what is past. */
async function replaying({ target, of }: OurTarget): Promise<Row[]> {
  const server = await target.start()
  const past = await server.openSession("past")
  const other = await server.openSession("other")
  for (let i = 0; i < replayedTurns; i++) await past.turn?.(turn)
  await other.turn?.("warm")
  await waitForQuiet(5_000)
  const opened = await open(server, past, replayers, 0, await past.lastSequence())
  const began = now()
  let isOver = false
  const done = results(opened).finally(() => {
    isOver = true
  })
  const took: number[] = []
  while (!isOver) {
    const sent = now()
    await other.turn?.("hello")
    took.push(now() - sent)
  }
  const { bytes } = await done
  const seconds = (now() - began) / 1_000
  await server.stop()
  const worst = Math.max(...took)
  return [
    {
      name: `${replayers} replay ${replayedTurns} such turns: a turn of another session, at worst${of}`,
      unit: "ms",
      ours: worst,
      bar: atMost(worst, 250, "ms"),
      note: `p50 ${figure(percentile(took, 0.5))} ms of ${took.length}; ${rate(bytes, seconds)}`,
    },
  ]
}

export const crowd: Case = {
  name: "crowd",
  run: async (context) => {
    const rows: Row[] = []
    for (const ours of bothOfOurs(context))
      rows.push(...(await watching(ours, 0)), ...(await watching(ours, readers / 2)), ...(await replaying(ours)))
    return rows
  },
}
