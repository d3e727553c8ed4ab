import type { Intervals } from "@sandbox-agent/schema/intervals"
import type { Agents } from "../core/agents.ts"
import type { DirectoryConfig } from "../core/config/directory-config.ts"
import type { GlobalLog, Logger } from "../core/context.ts"
import type { Sessions } from "../core/sessions.ts"
import type { Supervisor } from "../core/supervisor.ts"
import type { Files } from "../host/files/files.ts"
import type { Processes } from "../host/processes/processes.ts"
import type { LogReader } from "../store/reader.ts"
import type { Clients } from "./http/clients.ts"
import type { SignInTickets } from "./http/sign-in-tickets.ts"
import type { StalledReaders } from "./http/stalled-readers.ts"

/** What the faces are given of the daemon. They translate; everything here decides. */
export interface Services {
  readonly sessions: Sessions
  readonly agents: Agents
  /** Events that are committed. */
  readonly reader: LogReader
  /** Lifecycle of all sessions. */
  readonly global: Pick<GlobalLog, "log">
  readonly stalled: StalledReaders
  readonly clients: Clients
  /** Of pages that are opened signed in, and the token that they get. */
  readonly signIn: { readonly tickets: SignInTickets; readonly token: string | undefined }
  readonly intervals: Intervals
  /** For clients that name none. */
  readonly defaultAgent: string | undefined
  readonly log: Logger
  /** What is configured for directories; loaded when somebody asks for it. */
  config(): Promise<DirectoryConfig>
  /** Programs of clients; loaded when they are first asked for. */
  processes(): Promise<Processes>
  /** Made when somebody asks for them. */
  files(): Promise<Files>
  /** Starts searches. */
  readonly supervisor: Pick<Supervisor, "spawn">
  /** The words that start this program again. */
  readonly self: readonly string[]
  readonly version: string
  /** `performance.now()` at start. */
  readonly startedAt: number
  /** Live children of the daemon, for `/v1/agents` and metrics. */
  children(): { pid: number; owner: string; label: string; startedAt: number; rssBytes?: number }[]
  /** Counts of the store, and corrections of what drivers did. */
  figures(): Figures
}

export interface Figures {
  readonly stats: { commits: number; events: number; bytes: number; failures: number }
  readonly faults: ReadonlyMap<string, number>
}
