import { agentOf, type Case, streaming } from "../case.ts"
import { rssMb } from "../measure/process.ts"
import { Series } from "../measure/series.ts"
import { slope } from "../measure/stats.ts"
import { watchedTurn } from "../measure/turn.ts"
import { atMost, figure } from "../row.ts"
import type { Target } from "../target/target.ts"

const deltas = 20_000
const warm = 2
/** Memory after a turn varies by 10 MB with the collector: fewer turns would measure that. */
const turns = 15

/** Memory after each of the counted turns, in one session with one reader. */
async function after(target: Target): Promise<number[]> {
  const server = await target.start()
  const seen: number[] = []
  let session = await server.openSession("growth")
  for (let turn = 0; turn < warm + turns; turn++) {
    // The peer replays to every reader what it kept, so a turn of its own server each.
    if (target.name === "peer" && turn > 0) session = await server.openSession(`growth-${turn}`)
    await watchedTurn(server, session, `/stream ${deltas}`, 1, target.name === "peer" ? 2_000 : 20_000)
    await Bun.sleep(500)
    if (turn >= warm) seen.push(rssMb(server.pid))
  }
  await server.stop()
  return seen
}

export const growth: Case = {
  name: "growth",
  run: async (context) => {
    const figures = new Series()
    for (const target of streaming(context)) {
      if (target.name !== "floor") figures.add(target.name, ...(await after(target)))
    }
    const perHundredThousand = (name: Target["name"]) => slope(figures.of(name)) * (100_000 / deltas)
    return (["ours", "generic"] as const).map((name) => {
      const ours = perHundredThousand(name)
      return {
        name: `RSS growth per 100,000 events${agentOf[name]}`,
        unit: "MB",
        ours,
        peer: context.peer && perHundredThousand("peer"),
        bar: atMost(ours, 5, "MB"),
        note: `RSS after turns ${warm + 1}–${warm + turns}: ${figures.of(name).map(figure).join(", ")} MB`,
      }
    })
  },
}
