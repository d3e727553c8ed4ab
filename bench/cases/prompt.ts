import { type Case, targets } from "../case.ts"
import { openFrames } from "../client/frames.ts"
import { now } from "../measure/clock.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { Series } from "../measure/series.ts"
import type { Target } from "../target/target.ts"

const prompts = 200

/** From the message on its way to the first delta on an open stream, one turn after another on a warm agent. */
async function firstDelta(target: Target): Promise<number[]> {
  const server = await target.start()
  const session = await server.openSession("prompt")
  let seen: { delta: PromiseWithResolvers<number>; end: PromiseWithResolvers<void> } | undefined
  const path = session.eventsPath(await session.lastSequence())
  const stream = await openFrames({ port: server.port, path, token: server.token }, ({ data }) => {
    if (data.includes(`"item.delta"`) || data.includes(`"agent_message_chunk"`)) seen?.delta.resolve(now())
    if (data.includes(session.marker)) seen?.end.resolve()
  })
  const taken: number[] = []
  for (let i = 0; i < prompts + 20; i++) {
    const current = { delta: Promise.withResolvers<number>(), end: Promise.withResolvers<void>() }
    seen = current
    const sentAt = now()
    void session.send("hello world")
    const first = await current.delta.promise
    await current.end.promise
    if (i >= 20) taken.push(first - sentAt)
    // Past the daemon's own work at the end of a turn, as a person's next message is.
    await Bun.sleep(5)
  }
  stream.close()
  await server.stop()
  return taken
}

export const prompt: Case = {
  name: "prompt",
  run: async (context) => {
    const figures = new Series()
    for (const target of targets(context)) {
      await waitForQuiet(5_000)
      figures.add(target.name, ...(await firstDelta(target)))
    }
    return [
      { label: "median", p: 0.5 },
      { label: "p99", p: 0.99 },
    ].map(({ label, p }) => ({
      name: `message → first delta, ${label}`,
      unit: "ms",
      ours: figures.at("ours", p),
      floor: figures.at("floor", p),
      peer: figures.at("peer", p),
    }))
  },
}
