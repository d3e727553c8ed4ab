import type { Context } from "../core/context.ts"
import type { Sessions } from "../core/sessions.ts"
import type { Files } from "../host/files/files.ts"
import type { Processes } from "../host/processes/processes.ts"
import type { Clients } from "./http/clients.ts"
import type { StalledReaders } from "./http/stalled-readers.ts"

/** What the faces are given of the daemon. They translate; everything here decides. */
export interface Services {
  readonly context: Context
  readonly sessions: Sessions
  readonly stalled: StalledReaders
  readonly clients: Clients
  /** Programs of clients; loaded when they are first asked for. */
  processes(): Promise<Processes>
  /** Made when somebody asks for them. */
  files(): Promise<Files>
  /** The words that start this program again. */
  readonly self: readonly string[]
  readonly version: string
  /** `performance.now()` at start. */
  readonly startedAt: number
  /** Live children of the daemon, for `/v1/agents` and metrics. */
  children(): { pid: number; owner: string; label: string; startedAt: number; rssBytes?: number }[]
}
