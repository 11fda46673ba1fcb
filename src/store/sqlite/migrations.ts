// Numbered, forward only. A migration that has been released is never edited; the next one follows it.
import type { DatabaseSync } from 'node:sqlite';
import { StoreMissing, StoreUnusable, UNFINISHED_STORE } from '../store.ts';
import { rollBack, whileBusy } from './connection.ts';

const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE identities (
    key BLOB NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, enabled INTEGER NOT NULL,
    may_use_api INTEGER NOT NULL, groups TEXT, user_name TEXT, email TEXT, upn TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX identities_user_name ON identities (user_name) WHERE user_name IS NOT NULL;
  CREATE INDEX identities_email ON identities (email) WHERE email IS NOT NULL;
  CREATE INDEX identities_upn ON identities (upn) WHERE upn IS NOT NULL;

  CREATE TABLE passwords (
    holder BLOB NOT NULL PRIMARY KEY REFERENCES identities (key), revision INTEGER NOT NULL, phc TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE grants (
    id BLOB NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, client_id TEXT NOT NULL,
    holder BLOB NOT NULL REFERENCES identities (key), scope TEXT NOT NULL,
    certificate BLOB, issuer_key BLOB, certificate_key BLOB,
    created_at INTEGER NOT NULL, refresh_until INTEGER NOT NULL, format INTEGER NOT NULL, refreshable INTEGER NOT NULL,
    access_hash BLOB NOT NULL, generation INTEGER NOT NULL, key_id INTEGER NOT NULL, refresh_hash BLOB NOT NULL,
    nonce BLOB NOT NULL, issued_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, presenter TEXT NOT NULL,
    revoked_at INTEGER, revoked_for INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX grants_client_id ON grants (client_id);
  CREATE INDEX grants_holder ON grants (holder);
  CREATE INDEX grants_certificate ON grants (certificate) WHERE certificate IS NOT NULL;
  CREATE INDEX grants_refresh_until ON grants (refresh_until);

  CREATE TABLE device_authorizations (
    id BLOB NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, client_id TEXT NOT NULL, scope TEXT NOT NULL,
    user_code_hash BLOB NOT NULL UNIQUE, device_code_hash BLOB NOT NULL, created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, poll_interval INTEGER NOT NULL, presenter TEXT NOT NULL, last_polled_at INTEGER,
    failed_sign_ins INTEGER NOT NULL, entered_by TEXT, decision INTEGER NOT NULL,
    decided_by BLOB REFERENCES identities (key), decided_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX device_authorizations_expires_at ON device_authorizations (expires_at);

  CREATE TABLE integrations (
    client_id TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE issuers (
    label TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE keys (
    id INTEGER NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, fingerprint TEXT NOT NULL, retired INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE sessions (
    id BLOB NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, holder BLOB NOT NULL REFERENCES identities (key),
    created_at INTEGER NOT NULL, seen_at INTEGER NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_holder ON sessions (holder);
  CREATE INDEX sessions_ends_at ON sessions (ends_at);
  CREATE TABLE attempts (
    about TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, count INTEGER NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attempts_ends_at ON attempts (ends_at);

  -- Append-only. Refreshes carry no identity, hence no index entry: one more of them costs one more row at the end.
  CREATE TABLE events (
    sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, client_id TEXT, identity_id TEXT,
    subject_id BLOB, presenter TEXT, detail TEXT
  ) STRICT;
  CREATE INDEX events_identity_id ON events (identity_id, sequence) WHERE identity_id IS NOT NULL;
  `,
  `
  CREATE TABLE revocation_lists (
    key BLOB NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, url TEXT NOT NULL, asked_at INTEGER NOT NULL,
    checked_at INTEGER NOT NULL, renew_at INTEGER NOT NULL, failure TEXT, mark BLOB
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX revocation_lists_checked_at ON revocation_lists (checked_at);
  CREATE TABLE list_contents (
    key BLOB NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, url TEXT NOT NULL, fetched_at INTEGER NOT NULL,
    contents BLOB NOT NULL
  ) STRICT;
  CREATE INDEX list_contents_fetched_at ON list_contents (fetched_at);
  `,
  `
  CREATE TABLE service_times (
    name TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, seen_at INTEGER NOT NULL, silent_from INTEGER,
    answering_since INTEGER
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE nodes (
    name TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, keys TEXT NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX nodes_ends_at ON nodes (ends_at);
  `,
  `
  CREATE TABLE leases (
    name TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX leases_ends_at ON leases (ends_at);
  CREATE TABLE ended_lists (
    name TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX ended_lists_ends_at ON ended_lists (ends_at);
  `,
  `
  CREATE TABLE resource_servers (
    id TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE grants ADD COLUMN resource TEXT;
  ALTER TABLE device_authorizations ADD COLUMN resource TEXT;
  `,
  `
  CREATE TABLE signing_keys (
    id TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, algorithm TEXT NOT NULL, public_key TEXT NOT NULL,
    published_at INTEGER NOT NULL, signs_from INTEGER, removed_at INTEGER
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE grants ADD COLUMN bound_to BLOB;
  ALTER TABLE grants ADD COLUMN audience TEXT;
  ALTER TABLE grants ADD COLUMN signing_key TEXT;
  `,
  `
  CREATE TABLE token_issuers (
    label TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE key_sets (
    name TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, checked_at INTEGER NOT NULL, failure TEXT,
    fetched_at INTEGER, contents TEXT
  ) STRICT;
  CREATE INDEX key_sets_checked_at ON key_sets (checked_at);
  CREATE TABLE assertions (
    mark BLOB NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX assertions_ends_at ON assertions (ends_at);
  ALTER TABLE grants ADD COLUMN assertion TEXT;
  `,
  `
  CREATE TABLE store_history (
    name TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, epoch INTEGER NOT NULL, rollback TEXT
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE INDEX events_acts ON events (sequence) WHERE type IN ('revoked', 'administered');
  `,
  `
  ALTER TABLE service_times ADD COLUMN outages TEXT;
  ALTER TABLE grants ADD COLUMN bindings TEXT;
  `,
  `
  ALTER TABLE grants ADD COLUMN code TEXT;
  `,
  `
  ALTER TABLE grants ADD COLUMN terms TEXT;
  `,
  `
  ALTER TABLE identities ADD COLUMN directory TEXT;
  ALTER TABLE identities ADD COLUMN seen_at INTEGER;
  ALTER TABLE identities ADD COLUMN ended_at INTEGER;
  CREATE INDEX identities_directory ON identities (directory) WHERE directory IS NOT NULL;
  `,
  `
  CREATE TABLE refusal_counts (
    key TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX refusal_counts_ends_at ON refusal_counts (ends_at);
  `,
  `
  CREATE TABLE passkeys (
    identity TEXT NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, keys TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE sessions ADD COLUMN proof TEXT;
  ALTER TABLE device_authorizations ADD COLUMN proof TEXT;
  `,
];

/**
 * Brings a store to the newest schema. Safe when two processes start at once: the second waits and finds it done. One that has it is only
 * read: the disk may be full. `isNew`: there is nothing in the database yet.
 */
export function migrate(database: DatabaseSync, isNew = false): void {
  if (whileBusy(() => usableVersion(database, isNew)) === MIGRATIONS.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const migration of MIGRATIONS.slice(usableVersion(database, isNew))) database.exec(migration);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function usableVersion(database: DatabaseSync, isNew: boolean): number {
  const version = schemaVersion(database);
  if (version === 0 && !isNew) throw new StoreMissing('the database holds no store', UNFINISHED_STORE);
  if (version <= MIGRATIONS.length) return version;
  throw new StoreUnusable(
    `the database has schema ${version}, newer than this release knows (${MIGRATIONS.length})`,
    'Run the release that upgraded it, or go back to a copy: docs/upgrading.md.',
  );
}

/** Another release may have changed it under the running service. */
export function assertSchema(database: DatabaseSync): void {
  const version = schemaVersion(database);
  if (version !== MIGRATIONS.length) throw new Error(`schema ${version}, not ${MIGRATIONS.length}`);
}

function schemaVersion(database: DatabaseSync): number {
  return database.prepare('PRAGMA user_version').get()?.['user_version'] as number;
}
