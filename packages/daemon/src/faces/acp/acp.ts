import type { AcpRows } from "../../store/acp-rows.ts"
import type { ConnectionStore } from "../../store/connection-store.ts"
import type { Services } from "../services.ts"
import type { Catalogs } from "./catalogs.ts"
import type { Connections } from "./connections.ts"
import type { Declined } from "./declined.ts"
import type { Pages } from "./pages.ts"
import type { Unclaimed } from "./unclaimed.ts"

/** What a connection needs to be kept. */
export interface AcpStore {
  readonly services: Services
  /** Holds the log of each connection, and its rows. */
  readonly store: ConnectionStore
  readonly rows: AcpRows
}

export interface AcpBase extends AcpStore {
  /** For clients that name no agent. */
  readonly defaultAgent: string | undefined
  readonly connections: Connections
  /** Where the first event of this run stands in the order of all logs. */
  readonly startPos: number
}

/** What the parts of this face share. */
export interface Acp extends AcpBase {
  readonly catalogs: Catalogs
  readonly pages: Pages
  readonly declined: Declined
  /** Connections whose first use will tell what dialect their client speaks. */
  readonly unclaimed: Unclaimed
}
