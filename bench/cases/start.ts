import type { Case } from "../case.ts"
import { targets } from "../case.ts"
import { rawRequest } from "../client/request.ts"
import { Series } from "../measure/series.ts"
import { published } from "../peer/published.ts"
import { atMost } from "../row.ts"
import { freePort, launch, temporary } from "../target/launch.ts"
import type { Target } from "../target/target.ts"

const rounds = 15

/** One try on a raw socket: true once the health answered 200. */
function healthyNow(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: (socket) => {
        socket.write(rawRequest("GET", "/v1/health", port))
      },
      data: (socket, bytes) => {
        resolve(bytes.toString("latin1", 9, 12) === "200")
        socket.end()
      },
      close: () => resolve(false),
      connectError: () => resolve(false),
    },
  }).catch(() => resolve(false))
  return promise
}

async function startMs(target: Target): Promise<number> {
  const directory = await temporary()
  const port = await freePort()
  const { command, env } = target.command(port, directory)
  const begin = performance.now()
  const launched = launch(command, env, directory)
  // A pause between tries, else the asking takes the core that the start needs.
  while (!(await healthyNow(port))) {
    if (performance.now() - begin > 20_000) throw new Error(`${target.name} is not healthy after 20 s`)
    await Bun.sleep(0.5)
  }
  const taken = performance.now() - begin
  await launched.stop()
  return taken
}

export const start: Case = {
  name: "start",
  run: async (context) => {
    const figures = new Series()
    // The first round fills the page cache and is not counted.
    for (let round = 0; round <= rounds; round++) {
      for (const target of targets(context)) {
        const taken = await startMs(target)
        if (round > 0) figures.add(target.name, taken)
      }
    }
    const ours = figures.median("ours") ?? Number.NaN
    const peer = figures.median("peer")
    return [
      {
        name: `start → healthy (median of ${rounds})`,
        unit: "ms",
        ours,
        floor: figures.median("floor"),
        peer: peer ?? published.startMs,
        peerPublished: peer === undefined,
        bar: atMost(ours, peer ?? published.startMs, "ms", "peer"),
      },
    ]
  },
}
