import { type Connection, connectionOf, namedEndpoint, runningDaemon } from "./connection.ts"
import { startEmbedded } from "./embedded.ts"
import { lastOf, type Parsed } from "./parse.ts"

/** A daemon to work on: one that runs, or one of the command's own that ends with it. */
export interface DaemonInUse {
  readonly connection: Connection
  close(): Promise<void>
  /** At once, for the last moment before an exit. */
  kill(): void
}

/** The daemon at --endpoint, else the one that runs, else one of our own over the same data: what is said stays. */
export async function openDaemon(parsed: Parsed): Promise<DaemonInUse> {
  const { env } = process
  if (namedEndpoint(parsed, env) !== undefined || runningDaemon(parsed, env) !== undefined)
    return { connection: await connectionOf(parsed, env), close: async () => {}, kill: () => {} }
  const { connection, stop, kill } = await startEmbedded(lastOf(parsed, "data-dir"), { flags: ["--store", "sqlite"] })
  return { connection, close: stop, kill }
}
