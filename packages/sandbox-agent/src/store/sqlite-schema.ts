/** What each version of the database adds to the one before. */
export const migrations = [
  `CREATE TABLE sessions (
     uid INTEGER PRIMARY KEY AUTOINCREMENT,
     sandbox TEXT NOT NULL,
     id TEXT NOT NULL,
     created_at TEXT NOT NULL,
     agent TEXT NOT NULL,
     info TEXT NOT NULL,
     last_sequence INTEGER NOT NULL DEFAULT 0,
     lost TEXT NOT NULL DEFAULT '[]',
     deleted_at TEXT,
     UNIQUE (sandbox, id, created_at)
   );
   CREATE INDEX sessions_by_age ON sessions (created_at DESC, uid DESC);
   CREATE INDEX sessions_of_sandbox ON sessions (sandbox, created_at DESC, uid DESC);
   CREATE TABLE events (
     uid INTEGER NOT NULL REFERENCES sessions (uid) ON DELETE CASCADE,
     sequence INTEGER NOT NULL,
     event TEXT NOT NULL,
     PRIMARY KEY (uid, sequence)
   ) WITHOUT ROWID;
   CREATE TABLE leases (
     sandbox TEXT PRIMARY KEY,
     holder TEXT NOT NULL,
     epoch INTEGER NOT NULL,
     until_ms INTEGER NOT NULL
   ) WITHOUT ROWID;
   CREATE VIRTUAL TABLE texts USING fts5 (text, uid UNINDEXED, sequence UNINDEXED, tokenize = "unicode61 remove_diacritics 0");`,
  `CREATE TABLE blobs (hash TEXT PRIMARY KEY, mime TEXT NOT NULL, bytes BLOB NOT NULL);
   CREATE TABLE blob_refs (
     uid INTEGER NOT NULL REFERENCES sessions (uid) ON DELETE CASCADE,
     hash TEXT NOT NULL REFERENCES blobs (hash),
     PRIMARY KEY (uid, hash)
   ) WITHOUT ROWID;
   CREATE INDEX blob_refs_by_hash ON blob_refs (hash);`,
  `CREATE TABLE native_states (
     uid INTEGER PRIMARY KEY REFERENCES sessions (uid) ON DELETE CASCADE,
     native_session_id TEXT NOT NULL,
     sequence INTEGER NOT NULL,
     data BLOB NOT NULL
   );`,
]
