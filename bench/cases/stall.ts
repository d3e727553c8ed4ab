import { bothOfOurs, type Case, type OurTarget } from "../case.ts"
import { openReaders, type Readers } from "../client/readers.ts"
import { peakRssMb, rssMb } from "../measure/process.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { median } from "../measure/stats.ts"
import { watchedTurn } from "../measure/turn.ts"
import { atMost, figure, isTrue, type Row } from "../row.ts"
import type { Running, Session, Target } from "../target/target.ts"

const deltas = 100_000
const rounds = 3
/** The collector moves RSS by 20 MB between equal runs: one stalled reader would drown in it, so many share the figure. */
const stalledReaders = 20

interface Run {
  peak: number
  after: number
  seconds: number
}

/** Readers whose process is stopped: their sockets stay open and nothing is ever read from them. */
async function stallReaders(server: Running, session: Session): Promise<Readers> {
  const from = await session.lastSequence()
  const readers = await openReaders({
    port: server.port,
    path: session.eventsPath(from),
    token: server.token,
    count: stalledReaders,
    from,
    marker: session.marker,
    quietMs: 600_000,
  })
  process.kill(readers.pid, "SIGSTOP")
  return readers
}

/** A fresh daemon each time, so that what one run left behind is not charged to the next. */
async function run(target: Target, stalled: boolean): Promise<Run> {
  const server = await target.start()
  const session = await server.openSession("stall")
  await watchedTurn(server, session, "/stream 20000", 1)
  await waitForQuiet(5_000)
  const readers = stalled ? await stallReaders(server, session) : undefined
  const turn = () => watchedTurn(server, session, `/stream ${deltas}`, 1, 30_000)
  const { peak, result } = await peakRssMb(server.pid, turn)
  if (result.lost + result.duplicated > 0 || result.quiet) throw new Error("the other reader lost events")
  await Bun.sleep(1_500)
  const after = rssMb(server.pid)
  readers?.kill()
  await server.stop()
  return { peak, after, seconds: result.seconds }
}

async function rowsFor({ target, of }: OurTarget): Promise<Row[]> {
  const plain: Run[] = []
  const stalled: Run[] = []
  for (let round = 0; round < rounds; round++) {
    plain.push(await run(target, false))
    stalled.push(await run(target, true))
  }
  const mid = (runs: Run[], pick: (r: Run) => number): number => median(runs.map(pick))
  const extra = (mid(stalled, (r) => r.after) - mid(plain, (r) => r.after)) / stalledReaders
  const slower = mid(stalled, (r) => r.seconds) / mid(plain, (r) => r.seconds)
  const list = (runs: Run[]): string => runs.map((r) => `${figure(r.after)} (peak ${figure(r.peak)})`).join(", ")
  return [
    {
      name: `${stalledReaders} stalled readers, ${deltas} events: extra RSS each${of}`,
      unit: "MB",
      ours: extra,
      bar: atMost(extra, 2, "MB"),
      note: `with: ${list(stalled)}; without: ${list(plain)} MB`,
    },
    {
      name: `    time of the turn with / without them${of}`,
      unit: "×",
      ours: slower,
      bar: isTrue(slower <= 1.15, "≤ 1.15 (noise)"),
    },
  ]
}

export const stall: Case = {
  name: "stall",
  run: async (context) => {
    const rows: Row[] = []
    for (const ours of bothOfOurs(context)) rows.push(...(await rowsFor(ours)))
    return rows
  },
}
