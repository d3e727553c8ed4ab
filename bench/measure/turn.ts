import { openReaders, type ReadersResult } from "../client/readers.ts"
import type { Running, Session } from "../target/target.ts"
import { now } from "./clock.ts"
import { cpuMs } from "./process.ts"

export interface TurnResult extends ReadersResult {
  /** From the message until the last reader had the end of the turn. */
  seconds: number
  serverCpuMs: number
}

/** Sends one message while `count` readers watch, and waits until all of them have the end of its turn. */
export async function watchedTurn(
  server: Running,
  session: Session,
  message: string,
  count: number,
  quietMs = 10_000,
): Promise<TurnResult> {
  const from = await session.lastSequence()
  const readers = await openReaders({
    port: server.port,
    path: session.eventsPath(from),
    token: server.token,
    count,
    from,
    marker: session.marker,
    quietMs,
  })
  const cpu = cpuMs(server.pid)
  const sentAt = now()
  await session.send(message)
  const result = await readers.result
  return { ...result, seconds: (result.lastAt - sentAt) / 1000, serverCpuMs: cpuMs(server.pid) - cpu }
}
