import type { Environment } from "./config-file.ts"
import { type Connection, connectionOf, runningDaemon } from "./connection.ts"
import { startEmbedded } from "./embedded.ts"
import { lastOf, type Parsed } from "./parse.ts"

/** A daemon to work on: one that runs, or one of the command's own that ends with it. */
export interface Place {
  readonly connection: Connection
  close(): Promise<void>
  /** At once, for the last moment before an exit. */
  kill(): void
}

/** The daemon at --endpoint, else the one that runs, else one of our own over the same data: what is said stays. */
export async function openPlace(parsed: Parsed): Promise<Place> {
  const dataDir = lastOf(parsed, "data-dir")
  const env: Environment = { ...process.env, ...(dataDir !== undefined && { SANDBOX_AGENT_DATA_DIR: dataDir }) }
  const isNamed = lastOf(parsed, "endpoint") !== undefined || Boolean(env.SANDBOX_AGENT_URL)
  if (isNamed || runningDaemon(env) !== undefined)
    return { connection: await connectionOf(parsed, env), close: async () => {}, kill: () => {} }
  const { connection, stop, kill } = await startEmbedded(dataDir, { flags: ["--store", "sqlite"] })
  return { connection, close: stop, kill }
}
