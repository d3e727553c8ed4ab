import { type Case, type Context, targets } from "../case.ts"
import { median } from "../measure/stats.ts"
import { type TurnResult, watchedTurn } from "../measure/turn.ts"
import { published } from "../peer/published.ts"
import { atLeast, atMost, figure, type Row } from "../row.ts"
import type { Target } from "../target/target.ts"

const deltas = 20_000
const counts = [1, 10, 100] as const
const factor = { 1: 2, 10: 6, 100: 10 } as const

const rate = (turn: TurnResult): number => turn.delivered / turn.seconds

/** The turn of middle speed; the peer runs once, since a hundred readers take it 20 s. */
async function turns(target: Target, readers: number): Promise<TurnResult[]> {
  const server = await target.start()
  const results: TurnResult[] = []
  for (let round = 0; round < (target.name === "peer" ? 1 : 4); round++) {
    const session = await server.openSession(`stream-${readers}-${round}`)
    const turn = await watchedTurn(
      server,
      session,
      `/stream ${deltas}`,
      readers,
      target.name === "peer" ? 3_000 : 20_000,
    )
    if (round > 0 || target.name === "peer") results.push(turn)
  }
  await server.stop()
  return results
}

async function rowsFor(context: Context, readers: (typeof counts)[number]): Promise<Row[]> {
  const rates: Partial<Record<Target["name"], number>> = {}
  const all: Partial<Record<Target["name"], TurnResult[]>> = {}
  for (const target of targets(context)) {
    const results = await turns(target, readers)
    rates[target.name] = median(results.map(rate))
    all[target.name] = results
  }
  const ours = all.ours ?? []
  const sum = (pick: (turn: TurnResult) => number): number => ours.reduce((total, turn) => total + pick(turn), 0)
  // Numbers without a gap do not prove that every delta got a number.
  const short = sum((turn) => Math.max(0, readers * deltas - turn.delivered))
  const lost = short + sum((turn) => turn.lost + turn.duplicated + (turn.quiet ? 1 : 0))
  const peerRate = rates.peer ?? published.events[readers]
  const peerTurn = all.peer?.[0]
  const mid = (pick: (turn: TurnResult) => number): string => figure(median(ours.map(pick)))
  return [
    {
      name: readers === 1 ? `${deltas} deltas, 1 reader` : `${deltas} deltas, ${readers} readers`,
      unit: "ev/s",
      ours: rates.ours,
      floor: rates.floor,
      peer: peerRate,
      peerPublished: rates.peer === undefined,
      bar: atLeast(rates.ours ?? 0, factor[readers] * peerRate, "ev/s", `${factor[readers]} × peer`),
      note: `last reader done after ${mid((t) => t.seconds * 1000)} ms; processor ms: daemon ${mid((t) => t.serverCpuMs)}, client ${mid((t) => t.cpuMs)}; ${mid((t) => t.bytes / t.delivered)} bytes an event`,
    },
    {
      name: "    lost or duplicated",
      unit: "",
      ours: lost,
      peer: peerTurn && peerTurn.lost + peerTurn.duplicated,
      bar: atMost(lost, 0, ""),
    },
  ]
}

export const stream: Case = {
  name: "stream",
  run: async (context) => {
    const rows: Row[] = []
    for (const readers of counts) rows.push(...(await rowsFor(context, readers)))
    return rows
  },
}
