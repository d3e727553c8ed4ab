import { type Case, targets } from "../case.ts"
import { rssMb } from "../measure/process.ts"
import { atMost, type Row } from "../row.ts"
import type { Target } from "../target/target.ts"

const sessions = 100

interface Run {
  created: number
  first: number
  second: number
  rss: number
  errors: PromiseRejectedResult[]
}

/** All sessions created at once, then a turn in all at once, then another one. */
async function measure(target: Target): Promise<Run> {
  const server = await target.start()
  const errors: PromiseRejectedResult[] = []
  const all = async <T>(work: (i: number) => Promise<T>): Promise<{ ms: number; done: T[] }> => {
    const begin = performance.now()
    const settled = await Promise.allSettled(Array.from({ length: sessions }, (_, i) => work(i)))
    const ms = performance.now() - begin
    errors.push(...settled.filter((one) => one.status === "rejected"))
    return { ms, done: settled.filter((one) => one.status === "fulfilled").map((one) => one.value) }
  }
  const created = await all((i) => server.openSession(`many-${i}`))
  const turn = () => all((i) => created.done[i]?.turn?.("hello world") ?? Promise.resolve())
  const first = await turn()
  const second = await turn()
  const rss = rssMb(server.pid)
  await server.stop()
  return { created: created.ms, first: first.ms, second: second.ms, rss, errors }
}

export const manySessions: Case = {
  name: "sessions",
  run: async (context) => {
    const runs: Partial<Record<Target["name"], Run>> = {}
    for (const target of targets(context)) {
      if (target.name !== "floor") runs[target.name] = await measure(target)
    }
    const { ours, peer } = runs
    const row = (name: string, unit: string, pick: (run: Run) => number): Row => ({
      name,
      unit,
      ours: ours && pick(ours),
      peer: peer && pick(peer),
    })
    const failed = ours?.errors.length ?? Number.NaN
    const reason = ours?.errors[0]?.reason
    return [
      row(`${sessions} sessions at once: created`, "ms", (run) => run.created),
      row("    all first turns ended", "ms", (run) => run.first),
      row("    all second turns ended", "ms", (run) => run.second),
      {
        ...row("    errors", "", (run) => run.errors.length),
        bar: atMost(failed, 0, ""),
        note: reason === undefined ? undefined : String(reason),
      },
      row("    RSS of the server", "MB", (run) => run.rss),
    ]
  },
}
