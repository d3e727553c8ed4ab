/** What each version of the schema adds to the one before. `$schema` is its name. */
export const migrations = [
  `CREATE TABLE $schema.sessions (
     uid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     sandbox text NOT NULL,
     id text NOT NULL,
     created_at text COLLATE "C" NOT NULL,
     month text NOT NULL,
     agent text NOT NULL,
     info text NOT NULL,
     last_sequence bigint NOT NULL DEFAULT 0,
     lost text NOT NULL DEFAULT '[]',
     deleted_at text,
     UNIQUE (sandbox, id, created_at)
   );
   CREATE INDEX sessions_by_age ON $schema.sessions (created_at DESC, uid DESC);
   CREATE INDEX sessions_of_sandbox ON $schema.sessions (sandbox, created_at DESC, uid DESC);
   CREATE TABLE $schema.events (
     month text NOT NULL,
     uid bigint NOT NULL,
     sequence bigint NOT NULL,
     event text NOT NULL,
     PRIMARY KEY (month, uid, sequence)
   ) PARTITION BY LIST (month);
   CREATE TABLE $schema.texts (
     month text NOT NULL,
     uid bigint NOT NULL,
     sequence bigint NOT NULL,
     text text NOT NULL,
     words tsvector NOT NULL,
     PRIMARY KEY (month, uid, sequence)
   ) PARTITION BY LIST (month);
   CREATE INDEX texts_by_word ON $schema.texts USING gin (words);
   CREATE TABLE $schema.leases (
     sandbox text PRIMARY KEY,
     holder text NOT NULL,
     epoch bigint NOT NULL,
     until timestamptz NOT NULL
   );`,
  // What is found is sorted and chosen without looking at its sessions, of which there may be many more.
  `ALTER TABLE $schema.texts ADD COLUMN sandbox text, ADD COLUMN created_at text COLLATE "C";
   UPDATE $schema.texts t SET sandbox = s.sandbox, created_at = s.created_at FROM $schema.sessions s WHERE s.uid = t.uid;
   ALTER TABLE $schema.texts ALTER COLUMN sandbox SET NOT NULL, ALTER COLUMN created_at SET NOT NULL;
   CREATE INDEX texts_by_age ON $schema.texts (created_at DESC, uid DESC, sequence DESC);`,
  // Once in each month, so that a month is dropped with all it has.
  `CREATE TABLE $schema.blobs (
     month text NOT NULL,
     hash text NOT NULL,
     mime text NOT NULL,
     bytes bytea NOT NULL,
     PRIMARY KEY (month, hash)
   ) PARTITION BY LIST (month);
   CREATE TABLE $schema.blob_refs (
     month text NOT NULL,
     uid bigint NOT NULL,
     hash text NOT NULL,
     PRIMARY KEY (month, uid, hash)
   ) PARTITION BY LIST (month);
   CREATE INDEX blob_refs_by_hash ON $schema.blob_refs (month, hash);`,
  `CREATE TABLE $schema.native_states (
     month text NOT NULL,
     uid bigint NOT NULL,
     native_session_id text NOT NULL,
     sequence bigint NOT NULL,
     data bytea NOT NULL,
     PRIMARY KEY (month, uid)
   ) PARTITION BY LIST (month);`,
]
