import { type Case, targets } from "../case.ts"
import { load } from "../client/load.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { Series } from "../measure/series.ts"
import { atLeast, figure } from "../row.ts"
import { healthy } from "../target/launch.ts"

const connections = 64
const rounds = 3

export const health: Case = {
  name: "health",
  run: async (context) => {
    const rates = new Series()
    const shares = new Series()
    let failed = 0
    for (let round = 0; round < rounds; round++) {
      for (const target of targets(context)) {
        const server = await target.start()
        await healthy(server.port)
        await waitForQuiet(3_000)
        const result = await load({ port: server.port, path: "/v1/health", connections, warmMs: 500, measureMs: 2_000 })
        rates.add(target.name, result.perSecond)
        shares.add(target.name, result.cpuShare)
        if (target.name === "ours") failed += result.failed
        await server.stop()
      }
    }
    const ours = rates.median("ours") ?? Number.NaN
    const peer = rates.median("peer")
    return [
      {
        name: `GET /v1/health, ${connections} connections`,
        unit: "req/s",
        ours,
        floor: rates.median("floor"),
        peer,
        bar: atLeast(ours, peer, "req/s", "peer"),
        note: `failed ${failed}; cores the generator used: ours ${figure(shares.median("ours"))}, floor ${figure(shares.median("floor"))}, peer ${figure(shares.median("peer"))}`,
      },
    ]
  },
}
