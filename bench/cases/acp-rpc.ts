import { type Case, targets } from "../case.ts"
import type { Dialect } from "../client/acp.ts"
import { KeptConnection } from "../client/kept.ts"
import { now } from "../measure/clock.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { Series } from "../measure/series.ts"
import type { Row } from "../row.ts"
import { type AcpRoute, type AcpRouteName, startAll } from "../target/acp-routes.ts"
import type { Running } from "../target/target.ts"
import { latencyRows } from "./acp-rows.ts"

const rounds = 6
const calls = 250

/** One round trip on connections that are open. */
type Call = () => Promise<unknown>

const openCall = ({ dialect }: AcpRoute, server: Running): Promise<Call> =>
  dialect === undefined ? bareCall(server) : acpCall(dialect, server)

async function acpCall(dialect: Dialect, server: Running): Promise<Call> {
  const client = await dialect(server, "rpc")
  return () => client.call("session/list", {})
}

/** The least that answers. */
async function bareCall({ port, token }: Running): Promise<Call> {
  const kept = await KeptConnection.open(port, token)
  return () => kept.ask("GET", "/v1/health")
}

/** A small request: `session/list` with one session. Ours writes the answer down; the peer asks its agent for it. */
export const acpRpc: Case = {
  name: "acp-rpc",
  run: async (context): Promise<Row[]> => {
    const figures = new Series<AcpRouteName>()
    const opened = await startAll(targets(context))
    const asked = await Promise.all(
      opened.map(async ({ route, server }) => ({ name: route.name, call: await openCall(route, server) })),
    )
    for (let round = 0; round <= rounds; round++) {
      await waitForQuiet(2_000)
      for (const { name, call } of asked) {
        for (let i = 0; i < calls; i++) {
          const begin = now()
          await call()
          // The first round pays for cold code and is not counted.
          if (round > 0) figures.add(name, now() - begin)
        }
      }
    }
    for (const { server } of opened) await server.stop()
    return latencyRows(figures, "session/list round trip")
  },
}
