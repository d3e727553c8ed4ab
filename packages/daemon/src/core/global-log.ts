import { Log } from "../store/log.ts"
import type { Rows } from "../store/rows.ts"
import type { Store } from "../store/store.ts"
import type { Clock } from "./clock.ts"
import type { GlobalLog } from "./context.ts"

/** Sessions have uids from 1; this log is nobody's. */
const GLOBAL_UID = 0

/** Lifecycle events of all sessions: a log like any other, read by the same readers. */
export function createGlobalLog(store: Store, rows: Rows, clock: Clock): GlobalLog {
  const log = new Log(GLOBAL_UID)
  const bounds = rows.logBounds(GLOBAL_UID)
  log.first = bounds.first
  log.last = bounds.last
  let sequence = bounds.last
  return {
    log,
    append(type, sessionId, data) {
      sequence++
      const json = JSON.stringify({
        event_id: `evt_${GLOBAL_UID}_${sequence}`,
        sequence,
        time: clock.now(),
        session_id: sessionId,
        type,
        data,
      })
      store.append(log, sequence, json, 0)
    },
  }
}
