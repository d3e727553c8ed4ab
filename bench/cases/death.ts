import { limits } from "../../packages/schema/src/limits.ts"
import type { Case } from "../case.ts"
import { openEvents } from "../client/event-stream.ts"
import { published } from "../peer/published.ts"
import { atMost, isTrue, type Row } from "../row.ts"
import { api } from "../target/api.ts"
import type { Running } from "../target/target.ts"

interface TurnEnded {
  type: string
  data: { stop_reason?: string; error?: { code?: string; exit_code?: number; stderr?: unknown } }
}

/** The agent exits in the middle of a turn: how soon and how well the client is told. */
async function crash(server: Running): Promise<Row[]> {
  const session = await server.openSession("crash")
  const ended = Promise.withResolvers<{ at: number; event: TurnEnded }>()
  const path = session.eventsPath(await session.lastSequence())
  const stream = await openEvents({ port: server.port, path, token: server.token }, ({ data }) => {
    const event: TurnEnded = JSON.parse(data)
    if (event.type === "turn.ended") ended.resolve({ at: performance.now(), event })
  })
  const begin = performance.now()
  await session.send("/crash 3")
  const { at, event } = await ended.promise
  stream.close()
  const { stop_reason, error } = event.data
  const whole = stop_reason === "error" && error?.exit_code === 3 && JSON.stringify(error.stderr ?? {}).length > 20
  return [
    {
      name: "agent crashes: turn.ended after",
      unit: "ms",
      ours: at - begin,
      peer: published.deathMs,
      peerPublished: true,
      bar: atMost(at - begin, 1_000, "ms"),
    },
    {
      name: "    with exit code and stderr",
      unit: "",
      ours: whole ? 1 : 0,
      bar: isTrue(whole, "yes"),
      note: JSON.stringify(event.data).slice(0, 300),
    },
  ]
}

/** The agent ignores its end of input and SIGTERM. */
async function hang(server: Running): Promise<Row[]> {
  const session = await server.openSession("hang")
  await session.send("/hang")
  await Bun.sleep(500)
  const begin = performance.now()
  await api(server.port, "POST", "/v1/sessions/hang/terminate", {})
  const taken = performance.now() - begin
  const limit = limits.closeMs + limits.terminateMs + 1_000
  return [
    { name: "terminate of a hanging agent", unit: "ms", ours: taken, bar: atMost(taken, limit, "ms", "grace + 1 s") },
  ]
}

export const death: Case = {
  name: "death",
  run: async (context) => {
    const server = await context.ours.start()
    try {
      return [...(await crash(server)), ...(await hang(server))]
    } finally {
      await server.stop()
    }
  },
}
