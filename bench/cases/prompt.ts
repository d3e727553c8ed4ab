import { agentOf, type Case, streaming } from "../case.ts"
import { openFrames } from "../client/frames.ts"
import { now } from "../measure/clock.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { Series } from "../measure/series.ts"
import { atMost, type Row } from "../row.ts"
import type { Target } from "../target/target.ts"

const prompts = 200

interface Taken {
  first: number[]
  whole: number[]
}

/** From the message on its way to the first delta and the turn's end on an open stream, one turn after another. */
async function turnsOf(target: Target): Promise<Taken> {
  const server = await target.start()
  const session = await server.openSession("prompt")
  let seen: { delta: PromiseWithResolvers<number>; end: PromiseWithResolvers<number> } | undefined
  const path = session.eventsPath(await session.lastSequence())
  const stream = await openFrames({ port: server.port, path, token: server.token }, ({ data }) => {
    if (data.includes(`"item.delta"`) || data.includes(`"agent_message_chunk"`)) seen?.delta.resolve(now())
    if (data.includes(session.marker)) seen?.end.resolve(now())
  })
  const taken: Taken = { first: [], whole: [] }
  for (let i = 0; i < prompts + 20; i++) {
    const current = { delta: Promise.withResolvers<number>(), end: Promise.withResolvers<number>() }
    seen = current
    const sentAt = now()
    void session.send("hello world")
    const first = await current.delta.promise
    const end = await current.end.promise
    if (i >= 20) {
      taken.first.push(first - sentAt)
      taken.whole.push(end - sentAt)
    }
    // Past the daemon's own work at the end of a turn, as a person's next message is.
    await Bun.sleep(5)
  }
  stream.close()
  await server.stop()
  return taken
}

const figures = [
  { what: "first", name: "message → first delta", bar: 1.5 },
  { what: "whole", name: "message → turn ended, a short turn", bar: 2 },
] as const

export const prompt: Case = {
  name: "prompt",
  run: async (context) => {
    const taken = { first: new Series<Target["name"]>(), whole: new Series<Target["name"]>() }
    for (const target of streaming(context)) {
      await waitForQuiet(5_000)
      const { first, whole } = await turnsOf(target)
      taken.first.add(target.name, ...first)
      taken.whole.add(target.name, ...whole)
    }
    return figures.flatMap(({ what, name, bar }) =>
      (["ours", "generic"] as const).flatMap((agent) =>
        ([0.5, 0.99] as const).map((p): Row => {
          const ours = taken[what].at(agent, p)
          return {
            name: `${name}${agentOf[agent]}, p${p * 100}`,
            unit: "ms",
            ours,
            floor: taken[what].at("floor", p),
            peer: taken[what].at("peer", p),
            ...(p === 0.5 && { bar: atMost(ours ?? Number.NaN, bar, "ms") }),
          }
        }),
      ),
    )
  },
}
