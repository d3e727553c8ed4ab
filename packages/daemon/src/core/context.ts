import type { GlobalEventData, GlobalEventType } from "@sandbox-agent/schema/global-event"
import type { Intervals } from "@sandbox-agent/schema/intervals"
import type { Confinement } from "../files/confinement.ts"
import type { ConfigRows } from "../store/config-rows.ts"
import type { Log } from "../store/log.ts"
import type { LogReader } from "../store/reader.ts"
import type { Rows } from "../store/rows.ts"
import type { Store } from "../store/store.ts"
import type { AgentStats } from "./agent-stats.ts"
import type { AgentUser } from "./agent-user.ts"
import type { Clock } from "./clock.ts"
import type { Deadlines } from "./deadline.ts"
import type { Driver } from "./driver.ts"
import type { Ids } from "./ids.ts"
import type { Session } from "./session.ts"
import type { Supervisor } from "./supervisor.ts"

export type LogLevel = "debug" | "info" | "warn" | "error"
export type Logger = (level: LogLevel, message: string, fields?: Record<string, unknown>) => void

/** What every session of one daemon shares. */
export interface Context {
  readonly store: Store
  readonly rows: Rows
  readonly reader: LogReader
  /** What is configured for directories. */
  readonly config: ConfigRows
  readonly clock: Clock
  readonly ids: Ids
  readonly drivers: ReadonlyMap<string, Driver>
  readonly supervisor: Supervisor
  readonly log: Logger
  /** Lifecycle of all sessions. */
  readonly global: GlobalLog
  /** Where agents keep state of ours, attachments are saved. */
  readonly directory: string
  /** The folder with the attachments of its sessions. */
  readonly attachments: string
  /** The folder with skills that were fetched, or given in the config of a directory. */
  readonly skillSources: string
  readonly defaultDirectory: string
  /** Whom agents run as, where that is another user than ours. */
  readonly agentUser?: AgentUser | undefined
  /** Where files that clients name may be. */
  readonly files: Confinement
  readonly idleStopMs: number
  readonly intervals: Intervals
  readonly deadlines: Deadlines
  /** Counts of what the core had to correct, by kind. */
  readonly faults: Map<string, number>
  /** By agent id: what became of its processes, for `/v1/agents`. */
  readonly agentStats: Map<string, AgentStats>
  /** Sessions whose agent is open. */
  readonly open: Set<Session>
  stopping: boolean
  /** Starts what may start after a transition (`advance.ts`); here so that transitions need not import what comes next. */
  readonly advance: (session: Session) => void
}

export interface GlobalLog {
  readonly log: Log
  append<T extends GlobalEventType>(type: T, sessionId: string, data: GlobalEventData<T>): void
}
