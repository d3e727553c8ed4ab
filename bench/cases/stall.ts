import type { Case, Context } from "../case.ts"
import { openReaders, type Readers } from "../client/readers.ts"
import { peakRssMb, rssMb } from "../measure/process.ts"
import { median } from "../measure/stats.ts"
import { watchedTurn } from "../measure/turn.ts"
import { atMost, figure, isTrue } from "../row.ts"
import type { Running, Session } from "../target/target.ts"

const deltas = 100_000
const rounds = 3

interface Run {
  peak: number
  after: number
  seconds: number
}

/** A reader whose process is stopped: its socket stays open and nothing is ever read from it. */
async function stalledReader(server: Running, session: Session): Promise<Readers> {
  const from = await session.lastSequence()
  const { port, token } = server
  const path = session.eventsPath(from)
  const reader = await openReaders({ port, path, token, count: 1, from, marker: session.marker, quietMs: 600_000 })
  process.kill(reader.pid, "SIGSTOP")
  return reader
}

/** A fresh daemon each time, so that what one run left behind is not charged to the next. */
async function run(context: Context, stalled: boolean): Promise<Run> {
  const server = await context.ours.start()
  const session = await server.openSession("stall")
  await watchedTurn(server, session, "/stream 20000", 1)
  const reader = stalled ? await stalledReader(server, session) : undefined
  const turn = () => watchedTurn(server, session, `/stream ${deltas}`, 1, 30_000)
  const { peak, result } = await peakRssMb(server.pid, turn)
  if (result.lost + result.duplicated > 0 || result.quiet) throw new Error("the other reader lost events")
  await Bun.sleep(1_500)
  const after = rssMb(server.pid)
  reader?.kill()
  await server.stop()
  return { peak, after, seconds: result.seconds }
}

export const stall: Case = {
  name: "stall",
  run: async (context) => {
    const plain: Run[] = []
    const stalled: Run[] = []
    for (let round = 0; round < rounds; round++) {
      plain.push(await run(context, false))
      stalled.push(await run(context, true))
    }
    const mid = (runs: Run[], pick: (r: Run) => number): number => median(runs.map(pick))
    const extra = mid(stalled, (r) => r.after) - mid(plain, (r) => r.after)
    const slower = mid(stalled, (r) => r.seconds) / mid(plain, (r) => r.seconds)
    const list = (runs: Run[]): string => runs.map((r) => `${figure(r.after)} (peak ${figure(r.peak)})`).join(", ")
    return [
      {
        name: `a stalled reader, ${deltas} events: extra RSS`,
        unit: "MB",
        ours: extra,
        bar: atMost(extra, 2, "MB"),
        note: `with: ${list(stalled)}; without: ${list(plain)} MB`,
      },
      {
        name: "    time of the turn with / without it",
        unit: "×",
        ours: slower,
        bar: isTrue(slower <= 1.15, "≤ 1.15 (noise)"),
      },
    ]
  },
}
