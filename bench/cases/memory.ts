import { type Case, targets } from "../case.ts"
import { anonymousMb, pssMb, rssMb } from "../measure/process.ts"
import { Series } from "../measure/series.ts"
import { atMost, type Row } from "../row.ts"
import { healthy } from "../target/launch.ts"

const rounds = 3

export const memory: Case = {
  name: "memory",
  run: async (context) => {
    const kinds = { rss: new Series(), pss: new Series(), anonymous: new Series(), rested: new Series() }
    for (let round = 0; round < rounds; round++) {
      for (const target of targets(context)) {
        const server = await target.start()
        await healthy(server.port)
        await Bun.sleep(2_000)
        kinds.rss.add(target.name, rssMb(server.pid))
        kinds.pss.add(target.name, pssMb(server.pid))
        kinds.anonymous.add(target.name, anonymousMb(server.pid))
        await Bun.sleep(8_000)
        kinds.rested.add(target.name, rssMb(server.pid))
        await server.stop()
      }
    }
    const row = (name: string, kind: Series): Row => ({
      name,
      unit: "MB",
      ours: kind.median("ours"),
      floor: kind.median("floor"),
      peer: kind.median("peer"),
    })
    const rss = row("idle RSS, 2 s after health", kinds.rss)
    return [
      { ...rss, bar: atMost(rss.ours ?? Number.NaN, 45, "MB") },
      row("    PSS", kinds.pss),
      row("    of it not backed by a file", kinds.anonymous),
      row("idle RSS, 10 s after health", kinds.rested),
    ]
  },
}
