import type { Postgres, PostgresClient } from "./postgres-database.ts"
import type { StoredBlob } from "./session-store.ts"

/** False: there is no such session. */
export async function saveBlob(
  db: Postgres,
  client: PostgresClient,
  uid: string,
  { hash, mime, bytes }: StoredBlob,
): Promise<boolean> {
  // Before the bytes: whoever drops sessions waits for this, and this for them, so that none is left without its bytes.
  const rows = await db.rows<{ month: string }>(
    `INSERT INTO $schema.blob_refs SELECT month, uid, $2 FROM $schema.sessions WHERE uid = $1
     ON CONFLICT (month, uid, hash) DO UPDATE SET hash = excluded.hash RETURNING month`,
    [uid, hash],
    client,
  )
  const sql = "INSERT INTO $schema.blobs VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"
  for (const { month } of rows) await db.rows(sql, [month, hash, mime, bytes], client)
  return rows.length > 0
}

export async function findBlob(
  db: Postgres,
  { month, uid }: { month: string; uid: string },
  hash: string,
): Promise<StoredBlob | undefined> {
  const [row] = await db.rows<{ mime: string; bytes: Uint8Array }>(
    `SELECT mime, bytes FROM $schema.blobs JOIN $schema.blob_refs USING (month, hash)
     WHERE month = $1 AND uid = $2 AND hash = $3`,
    [month, uid, hash],
  )
  return row && { hash, mime: row.mime, bytes: new Uint8Array(row.bytes) }
}

/** Of sessions of one month, and the bytes that no other one of it names. */
export async function dropBlobs(db: Postgres, client: PostgresClient, month: string, uids: string[]): Promise<void> {
  if (uids.length === 0) return
  await client.query(db.named("LOCK TABLE $schema.blob_refs IN SHARE ROW EXCLUSIVE MODE"))
  await db.rows(
    `WITH gone AS (DELETE FROM $schema.blob_refs WHERE month = $1 AND uid = ANY($2) RETURNING hash)
     DELETE FROM $schema.blobs b USING gone WHERE b.month = $1 AND b.hash = gone.hash AND NOT EXISTS
       (SELECT 1 FROM $schema.blob_refs r WHERE r.month = $1 AND r.hash = b.hash AND r.uid <> ALL($2))`,
    [month, uids],
    client,
  )
}
