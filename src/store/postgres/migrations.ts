// Numbered, forward only. A migration that has been released is never edited; the next one follows it.
//
// Additive: the release before works on the schema as well (new tables, new columns with a default or without NOT NULL,
// new indexes), so that nodes of both run side by side while one upgrades. A migration that cannot be additive says so,
// and older nodes then refuse to start.
import { PARTITIONING } from './event-partitions.ts';

export interface Migration {
  readonly additive: boolean;
  /**
   * Each step is a transaction of its own and locks at most one table that requests use; with CONCURRENTLY it is one statement
   * without a transaction. An interrupted migration begins again with its first step, so all but the last are repeatable.
   */
  readonly steps: readonly string[];
}

// Text compares by its bytes (COLLATE "C"), whatever the language of the database.
// Rows that requests change have room on their page (fillfactor), and no column that changes is in an index: such an
// update touches one page and no index (HOT).
export const MIGRATIONS: readonly Migration[] = [
  {
    additive: true,
    steps: [
      `
  CREATE TABLE identities (
    "key" bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, id text COLLATE "C" NOT NULL UNIQUE,
    enabled smallint NOT NULL, may_use_api smallint NOT NULL, "groups" text, user_name text COLLATE "C",
    email text COLLATE "C", upn text COLLATE "C"
  );
  CREATE INDEX identities_user_name ON identities (user_name) WHERE user_name IS NOT NULL;
  CREATE INDEX identities_email ON identities (email) WHERE email IS NOT NULL;
  CREATE INDEX identities_upn ON identities (upn) WHERE upn IS NOT NULL;

  CREATE TABLE passwords (
    holder bytea NOT NULL PRIMARY KEY REFERENCES identities ("key"), revision integer NOT NULL, phc text NOT NULL
  );

  CREATE TABLE grants (
    id bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, client_id text COLLATE "C" NOT NULL,
    holder bytea NOT NULL REFERENCES identities ("key"), scope text NOT NULL,
    certificate bytea, issuer_key bytea, certificate_key bytea,
    created_at bigint NOT NULL, refresh_until bigint NOT NULL, format smallint NOT NULL, refreshable smallint NOT NULL,
    access_hash bytea NOT NULL, generation bigint NOT NULL, key_id smallint NOT NULL, refresh_hash bytea NOT NULL,
    nonce bytea NOT NULL, issued_at bigint NOT NULL, expires_at bigint NOT NULL, presenter text NOT NULL,
    revoked_at bigint, revoked_for smallint
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
  CREATE INDEX grants_client_id ON grants (client_id);
  CREATE INDEX grants_holder ON grants (holder);
  CREATE INDEX grants_certificate ON grants (certificate) WHERE certificate IS NOT NULL;
  CREATE INDEX grants_refresh_until ON grants (refresh_until);

  CREATE TABLE device_authorizations (
    id bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, client_id text COLLATE "C" NOT NULL, scope text NOT NULL,
    user_code_hash bytea NOT NULL UNIQUE, device_code_hash bytea NOT NULL, created_at bigint NOT NULL,
    expires_at bigint NOT NULL, poll_interval bigint NOT NULL, presenter text NOT NULL, last_polled_at bigint,
    failed_sign_ins integer NOT NULL, entered_by text, decision smallint NOT NULL,
    decided_by bytea REFERENCES identities ("key"), decided_at bigint
  ) WITH (fillfactor = 70);
  CREATE INDEX device_authorizations_expires_at ON device_authorizations (expires_at);

  CREATE TABLE integrations (client_id text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, body text NOT NULL);
  CREATE TABLE issuers (label text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, body text NOT NULL);
  CREATE TABLE keys (
    id integer NOT NULL PRIMARY KEY, revision integer NOT NULL, fingerprint text NOT NULL, retired smallint NOT NULL
  );

  CREATE TABLE sessions (
    id bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, holder bytea NOT NULL REFERENCES identities ("key"),
    created_at bigint NOT NULL, seen_at bigint NOT NULL, ends_at bigint NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX sessions_holder ON sessions (holder);
  CREATE INDEX sessions_ends_at ON sessions (ends_at);
  CREATE TABLE attempts (
    about text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, count integer NOT NULL, ends_at bigint NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX attempts_ends_at ON attempts (ends_at);

  -- Append-only. Refreshes carry no identity, hence one index entry at the end: see events.ts for the order of numbers.
  CREATE SEQUENCE event_sequence CACHE 1;
  SELECT setval('event_sequence', 1); -- the numbers drawn are then always above last_value
  CREATE TABLE events (
    sequence bigint NOT NULL PRIMARY KEY, at bigint NOT NULL, type text COLLATE "C" NOT NULL, client_id text COLLATE "C",
    identity_id text COLLATE "C", subject_id bytea, presenter text, detail text
  );
  CREATE INDEX events_identity_id ON events (identity_id, sequence) WHERE identity_id IS NOT NULL;
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE revocation_lists (
    "key" bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, url text NOT NULL, asked_at bigint NOT NULL,
    checked_at bigint NOT NULL, renew_at bigint NOT NULL, failure text, mark bytea
  );
  CREATE INDEX revocation_lists_checked_at ON revocation_lists (checked_at);
  CREATE TABLE list_contents (
    "key" bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, url text NOT NULL, fetched_at bigint NOT NULL,
    contents bytea NOT NULL
  );
  CREATE INDEX list_contents_fetched_at ON list_contents (fetched_at);
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE service_times (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, seen_at bigint NOT NULL, silent_from bigint,
    answering_since bigint
  ) WITH (fillfactor = 70);
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE nodes (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, keys text NOT NULL, ends_at bigint NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX nodes_ends_at ON nodes (ends_at);
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE leases (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, ends_at bigint NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX leases_ends_at ON leases (ends_at);
  CREATE TABLE ended_lists (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, ends_at bigint NOT NULL
  );
  CREATE INDEX ended_lists_ends_at ON ended_lists (ends_at);
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE IF NOT EXISTS resource_servers (id text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, body text NOT NULL);
  ALTER TABLE grants ADD COLUMN IF NOT EXISTS resource text;
  `,
      `
  ALTER TABLE device_authorizations ADD COLUMN resource text;
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE signing_keys (
    id text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, algorithm text NOT NULL, public_key text NOT NULL,
    published_at bigint NOT NULL, signs_from bigint, removed_at bigint
  );
  ALTER TABLE grants ADD COLUMN bound_to bytea, ADD COLUMN audience text, ADD COLUMN signing_key text;
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE token_issuers (label text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, body text NOT NULL);
  CREATE TABLE key_sets (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, checked_at bigint NOT NULL, failure text,
    fetched_at bigint, contents text
  );
  CREATE INDEX key_sets_checked_at ON key_sets (checked_at);
  CREATE TABLE assertions (mark bytea NOT NULL PRIMARY KEY, revision integer NOT NULL, ends_at bigint NOT NULL);
  CREATE INDEX assertions_ends_at ON assertions (ends_at);
  ALTER TABLE grants ADD COLUMN assertion text;
  `,
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE store_history (
    name text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, epoch integer NOT NULL, rollback text
  );
  `,
    ],
  },
  {
    additive: true,
    steps: [
      'DROP INDEX CONCURRENTLY IF EXISTS events_acts', // unfinished
      `CREATE INDEX CONCURRENTLY events_acts ON events (sequence) WHERE type IN ('revoked', 'administered')`,
    ],
  },
  {
    additive: true,
    steps: [
      `
  ALTER TABLE service_times ADD COLUMN outages text;
  ALTER TABLE grants ADD COLUMN bindings text;
  `,
    ],
  },
  {
    additive: true,
    // The stamp of a table, which every node reads all the time, then reads an index instead of the rows.
    steps: [
      ...['integrations', 'issuers', 'resource_servers', 'token_issuers', 'signing_keys'].flatMap((table) => [
        `DROP INDEX CONCURRENTLY IF EXISTS ${table}_revision`, // unfinished
        `CREATE INDEX CONCURRENTLY ${table}_revision ON ${table} (revision)`,
      ]),
    ],
  },
  { additive: true, steps: PARTITIONING },
  {
    additive: true,
    steps: [
      // A rollback that an older release accepted explains tokens that are newer than their rows (tables/store-history.ts).
      `INSERT INTO attempts (about, revision, count, ends_at)
        SELECT 'a rollback was accepted', 1, epoch, extract(epoch FROM now())::bigint + 315360000
        FROM store_history WHERE epoch > 1 ON CONFLICT DO NOTHING`,
      'SELECT tessera_extend_events(0)',
    ],
  },
  { additive: true, steps: ['ALTER TABLE grants ADD COLUMN IF NOT EXISTS code text'] },
  { additive: true, steps: ['ALTER TABLE grants ADD COLUMN IF NOT EXISTS terms text'] },
  {
    additive: true,
    steps: [
      `
  ALTER TABLE identities ADD COLUMN IF NOT EXISTS directory text COLLATE "C";
  ALTER TABLE identities ADD COLUMN IF NOT EXISTS seen_at bigint;
  ALTER TABLE identities ADD COLUMN IF NOT EXISTS ended_at bigint;
  `,
      'DROP INDEX CONCURRENTLY IF EXISTS identities_directory', // unfinished
      'CREATE INDEX CONCURRENTLY identities_directory ON identities (directory) WHERE directory IS NOT NULL',
    ],
  },
  {
    additive: true,
    steps: [
      `
  CREATE TABLE IF NOT EXISTS refusal_counts (
    key text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, body text NOT NULL, ends_at bigint NOT NULL
  ) WITH (fillfactor = 70);
  CREATE INDEX IF NOT EXISTS refusal_counts_ends_at ON refusal_counts (ends_at);
  `,
    ],
  },
  {
    additive: true,
    steps: [
      'ALTER TABLE sessions ADD COLUMN IF NOT EXISTS proof text',
      'ALTER TABLE device_authorizations ADD COLUMN IF NOT EXISTS proof text',
      `CREATE TABLE passkeys (
        identity text COLLATE "C" NOT NULL PRIMARY KEY, revision integer NOT NULL, keys text NOT NULL
      ) WITH (fillfactor = 70)`,
    ],
  },
];
