import type { Database } from "bun:sqlite"
import { SandboxAgentError } from "@sandbox-agent/schema/error"

/** Forward only; each entry runs once, in one transaction. Never edit an entry that was released: append. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE sessions (
    uid INTEGER PRIMARY KEY, id TEXT UNIQUE, alias TEXT UNIQUE, agent TEXT NOT NULL, status TEXT NOT NULL,
    native_id TEXT, deleted INTEGER NOT NULL DEFAULT 0, record TEXT NOT NULL, secrets TEXT,
    first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL, raw_last INTEGER NOT NULL
  );
  CREATE INDEX sessions_by_native ON sessions (agent, native_id) WHERE native_id IS NOT NULL;
  CREATE INDEX sessions_by_status ON sessions (status);
  CREATE TABLE log (
    pos INTEGER PRIMARY KEY, uid INTEGER NOT NULL, seq INTEGER NOT NULL, count INTEGER NOT NULL,
    size INTEGER NOT NULL, raw_n INTEGER, raw_count INTEGER, raw_size INTEGER NOT NULL DEFAULT 0,
    raws BLOB, raw_lines BLOB, frames BLOB NOT NULL
  );
  CREATE UNIQUE INDEX log_by_seq ON log (uid, seq);
  CREATE TABLE raw (
    uid INTEGER NOT NULL, n INTEGER NOT NULL, count INTEGER NOT NULL, size INTEGER NOT NULL, lines BLOB NOT NULL,
    PRIMARY KEY (uid, n)
  ) WITHOUT ROWID;
  CREATE TABLE messages (
    uid INTEGER NOT NULL, id TEXT NOT NULL, ord INTEGER NOT NULL, state TEXT NOT NULL, doc TEXT NOT NULL, body TEXT,
    PRIMARY KEY (uid, id)
  );
  CREATE INDEX messages_open ON messages (uid, ord) WHERE state IN ('queued', 'sending');
  CREATE TABLE turns (
    uid INTEGER NOT NULL, id TEXT NOT NULL, started_seq INTEGER NOT NULL, ended_seq INTEGER, ended_at INTEGER,
    raw_last INTEGER, native_ref TEXT, doc TEXT NOT NULL, PRIMARY KEY (uid, id)
  );
  CREATE INDEX turns_by_seq ON turns (uid, started_seq);
  CREATE INDEX turns_by_end ON turns (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE items (
    uid INTEGER NOT NULL, id TEXT NOT NULL, started_seq INTEGER NOT NULL, completed_seq INTEGER, doc TEXT NOT NULL,
    PRIMARY KEY (uid, id)
  );
  CREATE UNIQUE INDEX items_by_seq ON items (uid, started_seq);
  CREATE INDEX items_open ON items (uid) WHERE completed_seq IS NULL;
  CREATE TABLE requests (
    uid INTEGER NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, open INTEGER NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (uid, id)
  );
  CREATE INDEX requests_open ON requests (uid) WHERE open = 1;
  CREATE TABLE rules (uid INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (uid, key)) WITHOUT ROWID;
  CREATE TABLE blobs (hash TEXT PRIMARY KEY, mime TEXT, bytes BLOB NOT NULL);
  CREATE TABLE blob_refs (uid INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (uid, hash)) WITHOUT ROWID;
  CREATE TABLE processes (pid INTEGER PRIMARY KEY, start_time INTEGER NOT NULL, owner TEXT NOT NULL, label TEXT NOT NULL);
  `,
  `
  CREATE TABLE acp_conn (uid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, seen INTEGER NOT NULL, doc TEXT NOT NULL);
  CREATE TABLE acp_attach (
    conn INTEGER NOT NULL, uid INTEGER NOT NULL, session TEXT NOT NULL, from_seq INTEGER NOT NULL, to_seq INTEGER,
    PRIMARY KEY (conn, uid, from_seq)
  ) WITHOUT ROWID;
  CREATE TABLE acp_call (
    conn INTEGER NOT NULL, n INTEGER NOT NULL, id TEXT NOT NULL, method TEXT NOT NULL, session TEXT, uid INTEGER,
    message TEXT, PRIMARY KEY (conn, n)
  ) WITHOUT ROWID;
  CREATE INDEX acp_call_by_message ON acp_call (conn, message) WHERE message IS NOT NULL;
  CREATE TABLE acp_answer (
    conn INTEGER NOT NULL, request TEXT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (conn, request)
  ) WITHOUT ROWID;
  `,
  `
  ALTER TABLE log ADD COLUMN sum INTEGER;
  ALTER TABLE log ADD COLUMN raw_sum INTEGER;
  ALTER TABLE raw ADD COLUMN sum INTEGER;
  `,
  // Nothing asked it, and each turn wrote it twice.
  "DROP INDEX sessions_by_status",
  `CREATE TABLE config (
    kind TEXT NOT NULL, directory TEXT NOT NULL, name TEXT NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (kind, directory, name)
  ) WITHOUT ROWID`,
  // From here on the last changes may stand in the redo file: a version that does not know it must not open this.
  "INSERT OR REPLACE INTO meta (key, value) VALUES ('redo', '0')",
]

/** Brings the file to this version. `backup` is called before the first change of a file that already holds data. */
export function migrate(db: Database, steps: readonly string[], backup: (version: number) => void): void {
  const { user_version: version } = db.query("PRAGMA user_version").get() as { user_version: number }
  if (version > steps.length)
    throw new SandboxAgentError(
      "unavailable",
      `the data directory was written by a newer version (schema ${version}, this one knows ${steps.length}); update sandbox-agent or choose another --data-dir`,
    )
  // Each step writes its number with what it makes: without one there is nothing of ours in the file.
  if (version === 0 && db.query("SELECT 1 FROM sqlite_schema").get() !== null)
    throw new SandboxAgentError(
      "unavailable",
      "sandbox-agent.db in the data directory is a database of another program: choose another --data-dir",
    )
  if (version > 0 && version < steps.length) backup(version)
  for (let next = version; next < steps.length; next++) {
    db.transaction(() => {
      db.run(steps[next] ?? "")
      db.run(`PRAGMA user_version = ${next + 1}`)
    }).immediate()
  }
}
