import { type Case, type Context, targets } from "../case.ts"
import { threadsCpuMs, usedBetween } from "../measure/process.ts"
import { treePids } from "../measure/tree.ts"
import { atMost, type Row } from "../row.ts"
import type { Target } from "../target/target.ts"

/** Long enough that whatever follows work is done: ours gives memory back for half a minute. */
const settleMs = 90_000
const measuredMs = 60_000
const resting = 10

/** Shares of a processor used while nobody asks for anything: by the server, and with all it has started. */
interface Shares {
  server: number
  all: number
}

async function idleShares(target: Target, sessions: number): Promise<Shares> {
  const server = await target.start()
  for (let i = 0; i < sessions; i++) await (await server.openSession(`idle-${i}`)).turn?.("hello world")
  await Bun.sleep(settleMs)
  const groups = { server: [server.pid], all: treePids([server.pid]) }
  const before = { server: threadsCpuMs(groups.server), all: threadsCpuMs(groups.all) }
  await Bun.sleep(measuredMs)
  const share = (of: keyof Shares) => (usedBetween(before[of], threadsCpuMs(groups[of])) / measuredMs) * 100
  const shares = { server: share("server"), all: share("all") }
  await server.stop()
  return shares
}

type Found = Partial<Record<Target["name"], Shares>>

/** All at once: what is asleep is in nobody's way. */
async function shares(context: Context, sessions: number): Promise<Found> {
  const found = targets(context).map(async (target) => [target.name, await idleShares(target, sessions)] as const)
  return Object.fromEntries(await Promise.all(found))
}

const row = (name: string, { ours, floor, peer }: Found, of: keyof Shares): Row => ({
  name,
  unit: "% of a core",
  ours: ours?.[of],
  floor: floor?.[of],
  peer: peer?.[of],
})

const barred = (found: Found, made: Row): Row => ({ ...made, bar: atMost(found.ours?.server ?? Number.NaN, 0.05, "%") })

export const idle: Case = {
  name: "idle",
  run: async (context) => {
    const [none, some] = await Promise.all([shares(context, 0), shares(context, resting)])
    return [
      barred(none, row("idle, no sessions", none, "server")),
      barred(some, row(`idle, ${resting} sessions at rest with live agents`, some, "server")),
      // Each is a process with a runtime of its own, here as with the others.
      row("    these agents included", some, "all"),
    ]
  },
}
