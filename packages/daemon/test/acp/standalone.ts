import type { AcpStore } from "../../src/faces/acp/acp.ts"
import { Connections } from "../../src/faces/acp/connections.ts"
import { AcpRows } from "../../src/store/acp-rows.ts"
import { LogReader } from "../../src/store/reader.ts"
import { Store } from "../../src/store/store.ts"
import { scratch } from "../harness/daemon.ts"

/** Connections on a real store, with a clock that a test can move. */
export function standalone() {
  const clock = { now: Date.now() }
  const store = new Store({ kind: "memory", directory: scratch() })
  const rows = new AcpRows(store.db, () => store.flush())
  const services = { reader: new LogReader(store.db) } as unknown as AcpStore["services"]
  const connections = new Connections({ rows, store, services }, () => clock.now)
  return { connections, rows, store, clock }
}
