import type { Intervals } from "@sandbox-agent/schema/intervals"
import type { Logger } from "../core/context.ts"
import type { CorsOptions } from "../faces/http/guard.ts"
import type { StoreOptions } from "../store/database.ts"
import type { RetentionOptions } from "../store/retention.ts"

export interface DaemonOptions {
  store: StoreOptions
  host: string
  port: number
  token?: string
  /** The reference needs the token, like everything else. */
  closedDocs?: boolean
  /** The token may stand in the address of a terminal, for the public client, also off loopback. */
  allowUrlToken?: boolean
  allowHosts: readonly string[]
  cors: CorsOptions
  /** The words that start this program again: for agents that are part of it, and as runtime and package manager. */
  self: readonly string[]
  agents: {
    /** Programs named in the configuration, by agent. */
    paths: Readonly<Record<string, string>>
    /** Where to install from, in this order; empty: the installer's own. */
    sources: readonly ("npm" | "vendor")[]
    /** More ACP agents, as a file of the registry's format. */
    file?: string
  }
  /** Folders that files named by clients and agents must be in; anywhere without any. */
  fsRoots?: readonly string[]
  /** Whom agents run as, and where what they need is kept: another user than ours. */
  agentUser?: { name: string; directory: string }
  /** For ACP clients that name no agent. */
  defaultAgent?: string
  retention: RetentionOptions
  idleStopMs: number
  stalledReaderSeconds: number
  intervals: Intervals
  version: string
  log: Logger
}
