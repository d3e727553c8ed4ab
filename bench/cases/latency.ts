import { fileURLToPath } from "node:url"
import { agentOf, type Case, streaming } from "../case.ts"
import { openEvents } from "../client/event-stream.ts"
import { lines } from "../client/lines.ts"
import { now } from "../measure/clock.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { Series } from "../measure/series.ts"
import { percentile } from "../measure/stats.ts"
import { atMost, figure } from "../row.ts"
import type { Target } from "../target/target.ts"

const events = 5_000
const perSecond = 1_000
/** The first events pay for cold code and are not counted. */
const warm = 500

/** From the agent's write to the client's read, by the time each delta carries. */
async function throughServer(target: Target): Promise<number[]> {
  const server = await target.start()
  const session = await server.openSession("latency")
  const ended = Promise.withResolvers<void>()
  const taken: number[] = []
  const path = session.eventsPath(await session.lastSequence())
  const stream = await openEvents({ port: server.port, path, token: server.token }, ({ data }) => {
    const sentAt = /"(?:delta|text)":"\d+:(\d+\.\d+) "/.exec(data)?.[1]
    if (sentAt !== undefined) taken.push(now() - Number(sentAt))
    if (data.includes(session.marker)) ended.resolve()
  })
  await session.send(`/flood ${events} ${perSecond}`)
  // The peer may lose the end as it loses the rest.
  await Promise.race([ended.promise, Bun.sleep((events / perSecond) * 1000 + 5_000)])
  stream.close()
  await server.stop()
  return taken.slice(warm)
}

/** A pipe to another process and a pipe back, at the same pace. */
async function throughPipes(): Promise<number[]> {
  const script = fileURLToPath(new URL("../floor/echo.ts", import.meta.url))
  const child = Bun.spawn([process.execPath, script], { stdin: "pipe", stdout: "pipe" })
  const taken: number[] = []
  const reading = (async () => {
    for await (const line of lines(child.stdout)) taken.push(now() - Number(line))
  })()
  const start = performance.now()
  for (let i = 0; i < events; ) {
    const due = Math.min(events, Math.floor(((performance.now() - start) / 1000) * perSecond) + 1)
    for (; i < due; i++) child.stdin.write(`${now().toFixed(3)}\n`)
    child.stdin.flush()
    await Bun.sleep(1)
  }
  await child.stdin.end()
  await reading
  return taken.slice(warm)
}

export const latency: Case = {
  name: "latency",
  run: async (context) => {
    const pipes = await throughPipes()
    const figures = new Series()
    for (const target of streaming(context)) {
      await waitForQuiet(5_000)
      figures.add(target.name, ...(await throughServer(target)))
    }
    const bars = [
      { label: "p50", p: 0.5, limit: 1 },
      { label: "p99", p: 0.99, limit: 5 },
    ]
    return (["ours", "generic"] as const).flatMap((name) =>
      bars.map(({ label, p, limit }) => ({
        name: `agent → client at ${perSecond} ev/s, ${label}${agentOf[name]}`,
        unit: "ms",
        ours: figures.at(name, p),
        floor: percentile(pipes, p),
        peer: figures.at("peer", p),
        bar: atMost(figures.at(name, p) ?? Number.NaN, limit, "ms"),
        note: `floor is a pipe echo; a bare Bun relay over SSE has ${figure(figures.at("floor", p))} ms; seen: ours ${figures.of(name).length}, peer ${figures.of("peer").length} of ${events - warm}`,
      })),
    )
  },
}
