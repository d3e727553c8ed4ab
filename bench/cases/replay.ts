import { bothOfOurs, type Case, type Context, type OurTarget } from "../case.ts"
import { openReaders } from "../client/readers.ts"
import { now } from "../measure/clock.ts"
import { median } from "../measure/stats.ts"
import { watchedTurn } from "../measure/turn.ts"
import { atMost, type Row } from "../row.ts"
import { token } from "../target/api.ts"

const rounds = 5

/** From the request of a stream at 0 until its last event, in ms; the process of the reader is up before. */
async function replayMs(port: number, path: string, last: number, marker: string): Promise<number> {
  const taken: number[] = []
  for (let round = 0; round < rounds; round++) {
    const readers = await openReaders({ port, path, token, count: 1, from: 0, marker, quietMs: 5_000, until: last })
    const result = await readers.result
    if (result.lost + result.duplicated > 0 || result.last < last) throw new Error(`replay of ${path} is not whole`)
    taken.push(result.lastAt - result.askedAt)
  }
  return median(taken)
}

/** The same events in pages of 1,000, one after the other on one connection. */
async function pagesMs(port: number, id: string): Promise<number> {
  const begin = now()
  let offset = 0
  for (let more = true; more; offset += 1_000) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/sessions/${id}/events?offset=${offset}&limit=1000`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (!answer.ok) throw new Error(bytes.toString())
    more = bytes.lastIndexOf(`"hasMore":true`) >= 0
  }
  return now() - begin
}

async function rowsFor(context: Context, { target, of }: OurTarget, events: number): Promise<Row[]> {
  const server = await target.start()
  const session = await server.openSession("replay")
  await watchedTurn(server, session, `/stream ${events}`, 1, 30_000)
  await Bun.sleep(500)
  const last = await session.lastSequence()
  const ours = await replayMs(server.port, session.eventsPath(0), last, "\0")
  const pages: number[] = []
  for (let round = 0; round < 3; round++) pages.push(await pagesMs(server.port, "replay"))
  await server.stop()
  const bare = await context.floor.start()
  const floor = await replayMs(bare.port, `/frames/${events}`, events, "\0")
  await bare.stop()
  return [
    {
      name: `replay of ${events} events over SSE${of}`,
      unit: "ms",
      ours,
      floor,
      bar: events === 20_000 ? atMost(ours, 300, "ms") : undefined,
      note: `${last} events in the log; the peer keeps 1,024 messages and cannot`,
    },
    { name: `the same in pages of 1,000${of}`, unit: "ms", ours: median(pages) },
  ]
}

export const replay: Case = {
  name: "replay",
  run: async (context) => {
    const rows: Row[] = []
    for (const ours of bothOfOurs(context))
      for (const events of [20_000, 100_000]) rows.push(...(await rowsFor(context, ours, events)))
    return rows
  },
}
