import { type Case, type Context, streaming } from "../case.ts"
import { type AcpClient, type Dialect, prompt } from "../client/acp.ts"
import { openReaders, type ReadersResult } from "../client/readers.ts"
import { now } from "../measure/clock.ts"
import { cpuMs, peakRssMb } from "../measure/process.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { median } from "../measure/stats.ts"
import { published } from "../peer/published.ts"
import { atLeast, atMost, figure, type Row } from "../row.ts"
import { type AcpRoute, type AcpRouteName, type OursName, ourNames, oursBy, startAll } from "../target/acp-routes.ts"
import type { Running } from "../target/target.ts"

const updates = 20_000
const counts = [1, 10, 100] as const
const factor = { 1: 2, 10: 6, 100: 20 } as const
const rounds = 3

interface Turn extends ReadersResult {
  seconds: number
  serverCpuMs: number
  peakMb: number
}

/** The texts of the turn are numbers from 0: each client checks that every one of them comes, once and in order. */
async function watched(server: Running, route: AcpRoute, clients: number, round: number): Promise<Turn> {
  const { dialect } = route
  const opened = dialect === undefined ? [] : await openClients(server, dialect, clients, `${route.name}-${round}`)
  const session = dialect === undefined ? await server.openSession("acp") : undefined
  await waitForQuiet(3_000)
  const path = opened[0]?.path ?? session?.eventsPath(0) ?? ""
  const readers = await openReaders({
    port: server.port,
    path,
    token: server.token,
    headers: opened.map(({ headers }) => headers),
    count: clients,
    needle: dialect === undefined ? `elta":"` : `ext":"`,
    from: -1,
    until: updates - 1,
    marker: "",
    // The peer may lose the last text as it loses others: silence ends it.
    quietMs: route.name === "peer" ? 5_000 : 20_000,
  })
  const message = `/stream ${updates}`
  const cpu = cpuMs(server.pid)
  const sentAt = now()
  const { peak, result } = await peakRssMb(server.pid, async () => {
    const [first] = opened
    // Of the peer the answer may be lost as well: the readers tell when it is over.
    const sent = first === undefined ? session?.send(message) : prompt(first, message)
    sent?.catch(() => undefined)
    return await readers.result
  })
  for (const client of opened) client.close()
  const serverCpuMs = cpuMs(server.pid) - cpu
  return { ...result, seconds: (result.lastAt - sentAt) / 1000, serverCpuMs, peakMb: peak }
}

/** Without headers nothing tells clients apart but their streams: there one client speaks for all. */
async function openClients(server: Running, dialect: Dialect, count: number, id: string): Promise<AcpClient[]> {
  const first = await dialect(server, id)
  if (first.headers.length === 0) return [first]
  const others: AcpClient[] = []
  while (others.length < count - 1) others.push(await dialect(server, id, first.sessionId))
  return [first, ...others]
}

/** The peer needs 20 s for a turn with 100 clients: there it runs once, and is not warmed up. */
const roundsOf = ({ name }: AcpRoute, clients: number): number => (name === "peer" && clients === 100 ? 1 : rounds)

async function measure(context: Context, clients: number): Promise<Map<AcpRouteName, Turn[]>> {
  const results = new Map<AcpRouteName, Turn[]>()
  const servers = await startAll(streaming(context))
  for (let round = 0; round <= rounds; round++) {
    for (const { route, server } of servers) {
      const once = roundsOf(route, clients) === 1
      if (once && round > 0) continue
      const turn = await watched(server, route, clients, round)
      if (once || round > 0) results.set(route.name, [...(results.get(route.name) ?? []), turn])
    }
  }
  for (const { server } of servers) await server.stop()
  return results
}

async function rowsFor(context: Context, clients: (typeof counts)[number]): Promise<Row[]> {
  const all = await measure(context, clients)
  const mid = (name: AcpRouteName, pick: (turn: Turn) => number): number | undefined => {
    const turns = all.get(name)
    return turns && median(turns.map(pick))
  }
  const rate = (name: AcpRouteName) => mid(name, (turn) => turn.delivered / turn.seconds)
  const wrong = (name: AcpRouteName): number | undefined =>
    all.get(name)?.reduce((total, { lost, duplicated }) => total + lost + duplicated, 0)
  const peer = rate("peer") ?? published.events[clients]
  const rows = (name: OursName): Row[] => {
    const ours = rate(name) ?? 0
    const figures = (pick: (turn: Turn) => number): string => figure(mid(name, pick))
    return [
      {
        name: `${oursBy[name]}: ${updates} updates, ${clients === 1 ? "1 client" : `${clients} clients`}`,
        unit: "up/s",
        ours,
        floor: rate("floor"),
        peer,
        peerPublished: rate("peer") === undefined,
        bar: atLeast(ours, factor[clients] * peer, "up/s", `${factor[clients]} × peer`),
        note: `last client done after ${figures((t) => t.seconds * 1000)} ms; processor ms: daemon ${figures((t) => t.serverCpuMs)}, clients ${figures((t) => t.cpuMs)}; ${figures((t) => t.bytes / t.delivered)} bytes an update`,
      },
      {
        name: "    texts lost, twice or out of order",
        unit: "",
        ours: wrong(name),
        floor: wrong("floor"),
        peer: wrong("peer"),
        bar: atMost(wrong(name) ?? Number.NaN, 0, ""),
      },
      {
        name: "    peak RSS meanwhile",
        unit: "MB",
        ours: mid(name, (turn) => turn.peakMb),
        floor: mid("floor", (turn) => turn.peakMb),
        peer: mid("peer", (turn) => turn.peakMb),
      },
    ]
  }
  return ourNames.flatMap(rows)
}

/** A turn of many updates as ACP clients see it. */
export const acpStream: Case = {
  name: "acp-stream",
  run: async (context) => {
    const rows: Row[] = []
    for (const clients of counts) rows.push(...(await rowsFor(context, clients)))
    return rows
  },
}
