import { agentOf, type Case, streaming } from "../case.ts"
import { openEvents } from "../client/event-stream.ts"
import { now } from "../measure/clock.ts"
import { type Pause, pauses, restFor } from "../measure/pauses.ts"
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
async function turnsOf(target: Target): Promise<Record<Pause, Taken>> {
  const server = await target.start()
  const session = await server.openSession("prompt")
  let seen: { delta: PromiseWithResolvers<number>; end: PromiseWithResolvers<number> } | undefined
  const path = session.eventsPath(await session.lastSequence())
  const stream = await openEvents({ port: server.port, path, token: server.token }, ({ data }) => {
    if (data.includes(`"item.delta"`) || data.includes(`"agent_message_chunk"`)) seen?.delta.resolve(now())
    if (data.includes(session.marker)) seen?.end.resolve(now())
  })
  const turnsWith = async (pauseMs: number): Promise<Taken> => {
    const taken: Taken = { first: [], whole: [] }
    for (let i = 0; i < prompts + 20; i++) {
      const current = { delta: Promise.withResolvers<number>(), end: Promise.withResolvers<number>() }
      seen = current
      const sentAt = now()
      const sent = session.send("hello world")
      const first = await current.delta.promise
      const end = await current.end.promise
      await sent
      if (i >= 20) {
        taken.first.push(first - sentAt)
        taken.whole.push(end - sentAt)
      }
      await restFor(pauseMs)
    }
    return taken
  }
  const taken = {} as Record<Pause, Taken>
  for (const { name, ms } of pauses) taken[name] = await turnsWith(ms)
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
    const byPause = new Map(pauses.map(({ name }) => [name, new Figures()]))
    for (const target of streaming(context)) {
      await waitForQuiet(5_000)
      const taken = await turnsOf(target)
      for (const { name } of pauses) byPause.get(name)?.add(target.name, taken[name])
    }
    return [...byPause].flatMap(([pause, taken]) => rowsOf(taken, pause))
  },
}

class Figures {
  readonly first = new Series<Target["name"]>()
  readonly whole = new Series<Target["name"]>()

  add(name: Target["name"], { first, whole }: Taken): void {
    this.first.add(name, ...first)
    this.whole.add(name, ...whole)
  }
}

const rowsOf = (taken: Figures, pause: Pause): Row[] =>
  figures.flatMap(({ what, name, bar }) =>
    (["ours", "generic"] as const).flatMap((agent) =>
      ([0.5, 0.99] as const).map((p): Row => {
        const ours = taken[what].at(agent, p)
        return {
          name: `${name}${agentOf[agent]}, ${pause}, p${p * 100}`,
          unit: "ms",
          ours,
          floor: taken[what].at("floor", p),
          peer: taken[what].at("peer", p),
          ...(p === 0.5 && { bar: atMost(ours ?? Number.NaN, bar, "ms") }),
        }
      }),
    ),
  )
