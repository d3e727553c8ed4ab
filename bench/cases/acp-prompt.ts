import { type Case, streaming } from "../case.ts"
import { type Dialect, prompt } from "../client/acp.ts"
import { openEvents } from "../client/event-stream.ts"
import { now } from "../measure/clock.ts"
import { pauses, restFor } from "../measure/pauses.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { Series } from "../measure/series.ts"
import type { Row } from "../row.ts"
import { type AcpRoute, type AcpRouteName, startAll } from "../target/acp-routes.ts"
import type { Running } from "../target/target.ts"
import { latencyRows } from "./acp-rows.ts"

const rounds = 5
const prompts = 40
const longRests = 15
const longRestMs = 3_000

/** Sends a message to a warm agent and waits for the whole turn; gives when the first update and the answer were there. */
type Turn = () => Promise<{ first: number; end: number }>

function openTurns({ dialect }: AcpRoute, server: Running): Promise<Turn> {
  let first = Promise.withResolvers<number>()
  const seen = (data: string): void => {
    if (data.includes(`"agent_message_chunk"`) || data.includes(`"item.delta"`)) first.resolve(now())
  }
  const opened = dialect === undefined ? bareSend(server, seen) : acpSend(dialect, server, seen)
  return opened.then((send) => async () => {
    first = Promise.withResolvers()
    const [at] = await Promise.all([first.promise, send()])
    return { first: at, end: now() }
  })
}

type Send = () => Promise<unknown>

async function acpSend(dialect: Dialect, server: Running, seen: (data: string) => void): Promise<Send> {
  const client = await dialect(server, "prompt")
  await client.watch(seen)
  return () => prompt(client, "hello world")
}

async function bareSend(server: Running, seen: (data: string) => void): Promise<Send> {
  const session = await server.openSession("prompt")
  let ended = Promise.withResolvers<void>()
  await openEvents({ port: server.port, path: session.eventsPath(0) }, ({ data }) => {
    seen(data)
    if (data.includes(session.marker)) ended.resolve()
  })
  return async () => {
    ended = Promise.withResolvers()
    await session.send("hello world")
    await ended.promise
  }
}

/** As a person writes: all has been idle, and what an idle daemon gives back it has to get again. */
async function afterLongRest(turns: { name: AcpRouteName; turn: Turn }[]): Promise<Row[]> {
  const firsts = new Series<AcpRouteName>()
  for (let round = 0; round < longRests; round++) {
    await Bun.sleep(longRestMs)
    for (const { name, turn } of turns) {
      const sentAt = now()
      firsts.add(name, (await turn()).first - sentAt)
    }
  }
  return latencyRows(firsts, `prompt → first update, after ${longRestMs / 1000} s of rest`)
}

/** From the prompt on its way to the first update on an open stream and to its answer, one turn after another. */
export const acpPrompt: Case = {
  name: "acp-prompt",
  run: async (context): Promise<Row[]> => {
    const rows: Row[] = []
    const opened = await startAll(streaming(context))
    const turns = await Promise.all(
      opened.map(async ({ route, server }) => ({ name: route.name, turn: await openTurns(route, server) })),
    )
    for (const pause of pauses) {
      const firsts = new Series<AcpRouteName>()
      const wholes = new Series<AcpRouteName>()
      for (let round = 0; round <= rounds; round++) {
        await waitForQuiet(2_000)
        for (const { name, turn } of turns) {
          for (let i = 0; i < prompts; i++) {
            const sentAt = now()
            const { first, end } = await turn()
            if (round > 0) {
              firsts.add(name, first - sentAt)
              wholes.add(name, end - sentAt)
            }
            await restFor(pause.ms)
          }
        }
      }
      rows.push(
        ...latencyRows(firsts, `prompt → first update, ${pause.name}`, 1.5),
        ...latencyRows(wholes, `prompt → answer, a short turn, ${pause.name}`, 2),
      )
    }
    rows.push(...(await afterLongRest(turns)))
    for (const { server } of opened) await server.stop()
    return rows
  },
}
