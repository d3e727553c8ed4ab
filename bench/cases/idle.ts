import { type Case, type Context, targets } from "../case.ts"
import { threadsCpuMs, usedBetween } from "../measure/process.ts"
import { treePids } from "../measure/tree.ts"
import { atMost, type Row } from "../row.ts"
import type { Target } from "../target/target.ts"

/** Long enough that whatever follows work is done: ours gives memory back for half a minute. */
const settleMs = 90_000
const measuredMs = 60_000
const resting = 10

/** Share of a processor that a server and all it has started use while nobody asks for anything. */
async function idleShare(target: Target, sessions: number): Promise<number> {
  const server = await target.start()
  for (let i = 0; i < sessions; i++) await (await server.openSession(`idle-${i}`)).turn?.("hello world")
  await Bun.sleep(settleMs)
  const pids = treePids([server.pid])
  const before = threadsCpuMs(pids)
  await Bun.sleep(measuredMs)
  const used = usedBetween(before, threadsCpuMs(pids))
  await server.stop()
  return (used / measuredMs) * 100
}

/** All at once: what is asleep is in nobody's way. */
async function shares(context: Context, sessions: number): Promise<Partial<Record<Target["name"], number>>> {
  const found = targets(context).map(async (target) => [target.name, await idleShare(target, sessions)] as const)
  return Object.fromEntries(await Promise.all(found))
}

export const idle: Case = {
  name: "idle",
  run: async (context) => {
    const [none, some] = await Promise.all([shares(context, 0), shares(context, resting)])
    const row = (name: string, { ours, floor, peer }: typeof none): Row => ({
      ...{ name, unit: "% of a core", ours, floor, peer },
      bar: atMost(ours ?? Number.NaN, 0.05, "%"),
    })
    return [
      row("idle, no sessions", none),
      row(`idle, ${resting} sessions at rest with live agents, these included`, some),
    ]
  },
}
