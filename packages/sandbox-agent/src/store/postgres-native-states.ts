import type { Postgres, PostgresClient } from "./postgres-database.ts"
import type { StoredNativeState } from "./session-store.ts"

/** False: there is no such session. */
export async function saveNativeState(
  db: Postgres,
  client: PostgresClient,
  uid: string,
  { nativeSessionId, sequence, data }: StoredNativeState,
): Promise<boolean> {
  const rows = await db.rows(
    `INSERT INTO $schema.native_states SELECT month, uid, $2, $3, $4 FROM $schema.sessions WHERE uid = $1
     ON CONFLICT (month, uid) DO UPDATE SET native_session_id = excluded.native_session_id,
       sequence = excluded.sequence, data = excluded.data RETURNING uid`,
    [uid, nativeSessionId, sequence, data],
    client,
  )
  return rows.length > 0
}

export async function findNativeState(
  db: Postgres,
  { month, uid }: { month: string; uid: string },
): Promise<StoredNativeState | undefined> {
  const [row] = await db.rows<{ native_session_id: string; sequence: string; data: Uint8Array }>(
    "SELECT native_session_id, sequence, data FROM $schema.native_states WHERE month = $1 AND uid = $2",
    [month, uid],
  )
  return (
    row && {
      nativeSessionId: row.native_session_id,
      sequence: Number(row.sequence),
      data: new Uint8Array(row.data),
    }
  )
}
