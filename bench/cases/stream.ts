import { agentOf, type Case, type Context, streaming } from "../case.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { median } from "../measure/stats.ts"
import { type TurnResult, watchedTurn } from "../measure/turn.ts"
import { published } from "../peer/published.ts"
import { atLeast, atMost, figure, type Row } from "../row.ts"
import type { Running, Target } from "../target/target.ts"

const deltas = 20_000
const counts = [1, 10, 100] as const
const factor = { 1: 2, 10: 6, 100: 10 } as const

const perSecond = (turn: TurnResult): number => turn.delivered / turn.seconds

/** Counted rounds after one to warm up; 100 readers take the peer 20 s a turn, so there it runs once. */
const rounds = 3
const roundsOf = (target: Target, readers: number): number => (target.name === "peer" && readers === 100 ? 1 : rounds)

async function oneTurn(server: Running, target: Target, readers: number, round: number): Promise<TurnResult> {
  const session = await server.openSession(`stream-${readers}-${round}`)
  await waitForQuiet(3_000)
  // The peer may lose the end of the turn as it loses the rest: silence ends it.
  return watchedTurn(server, session, `/stream ${deltas}`, readers, target.name === "peer" ? 3_000 : 20_000)
}

/** Rounds go from target to target, so that a busy minute of the machine falls on all of them. */
async function measure(context: Context, readers: number): Promise<Partial<Record<Target["name"], TurnResult[]>>> {
  const results: Partial<Record<Target["name"], TurnResult[]>> = {}
  const servers = await Promise.all(
    streaming(context).map(async (target) => ({ target, server: await target.start() })),
  )
  for (let round = 0; round <= rounds; round++) {
    for (const { target, server } of servers) {
      if (round > 0 && roundsOf(target, readers) === 1) continue
      const turn = await oneTurn(server, target, readers, round)
      if (round > 0 || roundsOf(target, readers) === 1) results[target.name] = [...(results[target.name] ?? []), turn]
    }
  }
  for (const { server } of servers) await server.stop()
  return results
}

async function rowsFor(context: Context, readers: (typeof counts)[number]): Promise<Row[]> {
  const all = await measure(context, readers)
  const rateOf = (name: Target["name"]) => all[name] && median(all[name].map(perSecond))
  const rates = { floor: rateOf("floor"), peer: rateOf("peer") }
  const peerRate = rates.peer ?? published.events[readers]
  const peerLost = all.peer?.reduce((total, turn) => total + turn.lost + turn.duplicated, 0)
  return (["ours", "generic"] as const).flatMap((name) => {
    const ours = all[name] ?? []
    const rate = rateOf(name)
    const sum = (pick: (turn: TurnResult) => number): number => ours.reduce((total, turn) => total + pick(turn), 0)
    // Numbers without a gap do not prove that every delta got a number.
    const short = sum((turn) => Math.max(0, readers * deltas - turn.delivered))
    const lost = short + sum((turn) => turn.lost + turn.duplicated + (turn.quiet ? 1 : 0))
    const mid = (pick: (turn: TurnResult) => number): string => figure(median(ours.map(pick)))
    return [
      {
        name: `${deltas} deltas, ${readers === 1 ? "1 reader" : `${readers} readers`}${agentOf[name]}`,
        unit: "ev/s",
        ours: rate,
        floor: rates.floor,
        peer: peerRate,
        peerPublished: rates.peer === undefined,
        bar: atLeast(rate ?? 0, factor[readers] * peerRate, "ev/s", `${factor[readers]} × peer`),
        note: `last reader done after ${mid((t) => t.seconds * 1000)} ms; processor ms: daemon ${mid((t) => t.serverCpuMs)}, client ${mid((t) => t.cpuMs)}; ${mid((t) => t.bytes / t.delivered)} bytes an event`,
      },
      {
        name: "    lost or duplicated",
        unit: "",
        ours: lost,
        peer: peerLost,
        bar: atMost(lost, 0, ""),
      },
    ]
  })
}

export const stream: Case = {
  name: "stream",
  run: async (context) => {
    const rows: Row[] = []
    for (const readers of counts) rows.push(...(await rowsFor(context, readers)))
    return rows
  },
}
