// The schema, in migrations of both back ends: numbered, forward only. A released migration keeps its effect.

import { StoreUnusable } from './store.ts';

/** How many of them 0.3.0 had. What releases before it wrote into rows is no longer read. */
export const OLDEST = 18;

export function tooOld(version: number): StoreUnusable {
  return new StoreUnusable(
    `the database has schema ${version}, of a release before 0.3`,
    'Open it once with 0.3.3 or 0.3.4, which upgrade it: docs/upgrading.md.',
  );
}

export interface Dialect {
  readonly bytes: string;
  readonly text: string;
  /** Text that compares by its bytes, whatever the language of the database. */
  readonly name: string;
  readonly small: string;
  readonly whole: string;
  readonly large: string;
  /** How a table stores its rows: those that requests change have room on their page. */
  readonly rows: string;
  readonly changingRows: string;
  readonly grantRows: string;
  /** Large rows, and those with a number as key: SQLite does not store them in the index of their key. */
  readonly numberedRows: string;
  readonly addColumn: (table: string, column: string) => string;
  /** On a table that may be large: steps that block nobody. */
  readonly addIndex: (name: string, on: string) => readonly string[];
  /** The event log: append-only. Refreshes carry no identity, hence no entry in its index. */
  readonly events: string;
}

/** Each step is a transaction and locks at most one busy table. All but the last can be repeated. All are additive. */
export function migrationsOf(dialect: Dialect): readonly (readonly string[])[] {
  const { bytes, text, name, small, whole, large, rows, changingRows, numberedRows, addColumn, addIndex } = dialect;
  const revision = `revision ${whole} NOT NULL`;
  const key = (column: string, type = name) => `${column} ${type} NOT NULL PRIMARY KEY, ${revision}`;
  const registered = (table: string, id: string) => `CREATE TABLE ${table} (${key(id)}, body ${text} NOT NULL) ${rows}`;
  /** A table whose rows end, with the index for that. */
  const ending = (table: string, columns: string, kept = rows) =>
    `CREATE TABLE ${table} (${columns}, ends_at ${large} NOT NULL) ${kept};
    CREATE INDEX ${table}_ends_at ON ${table} (ends_at)`;
  const where = (column: string) => `(${column}) WHERE ${column} IS NOT NULL`;
  return [
    [
      `
      CREATE TABLE identities (
        ${key('"key"', bytes)}, id ${name} NOT NULL UNIQUE, enabled ${small} NOT NULL, may_use_api ${small} NOT NULL,
        "groups" ${text}, user_name ${name}, email ${name}, upn ${name}
      ) ${rows};
      CREATE INDEX identities_user_name ON identities ${where('user_name')};
      CREATE INDEX identities_email ON identities ${where('email')};
      CREATE INDEX identities_upn ON identities ${where('upn')};

      CREATE TABLE passwords (
        holder ${bytes} NOT NULL PRIMARY KEY REFERENCES identities ("key"), ${revision}, phc ${text} NOT NULL
      ) ${rows};

      CREATE TABLE grants (
        ${key('id', bytes)}, client_id ${name} NOT NULL, holder ${bytes} NOT NULL REFERENCES identities ("key"),
        scope ${text} NOT NULL, certificate ${bytes}, issuer_key ${bytes}, certificate_key ${bytes},
        created_at ${large} NOT NULL, refresh_until ${large} NOT NULL, format ${small} NOT NULL, refreshable ${small} NOT NULL,
        access_hash ${bytes} NOT NULL, generation ${large} NOT NULL, key_id ${small} NOT NULL, refresh_hash ${bytes} NOT NULL,
        nonce ${bytes} NOT NULL, issued_at ${large} NOT NULL, expires_at ${large} NOT NULL, presenter ${text} NOT NULL,
        revoked_at ${large}, revoked_for ${small}
      ) ${dialect.grantRows};
      CREATE INDEX grants_client_id ON grants (client_id);
      CREATE INDEX grants_holder ON grants (holder);
      CREATE INDEX grants_certificate ON grants ${where('certificate')};
      CREATE INDEX grants_refresh_until ON grants (refresh_until);

      CREATE TABLE device_authorizations (
        ${key('id', bytes)}, client_id ${name} NOT NULL, scope ${text} NOT NULL, user_code_hash ${bytes} NOT NULL UNIQUE,
        device_code_hash ${bytes} NOT NULL, created_at ${large} NOT NULL, expires_at ${large} NOT NULL,
        poll_interval ${large} NOT NULL, presenter ${text} NOT NULL, last_polled_at ${large}, failed_sign_ins ${whole} NOT NULL,
        entered_by ${text}, decision ${small} NOT NULL, decided_by ${bytes} REFERENCES identities ("key"), decided_at ${large}
      ) ${changingRows};
      CREATE INDEX device_authorizations_expires_at ON device_authorizations (expires_at);

      ${registered('integrations', 'client_id')};
      ${registered('issuers', 'label')};
      CREATE TABLE keys (
        id ${whole} NOT NULL PRIMARY KEY, ${revision}, fingerprint ${text} NOT NULL, retired ${small} NOT NULL
      ) ${numberedRows};

      ${ending(
        'sessions',
        `${key('id', bytes)}, holder ${bytes} NOT NULL REFERENCES identities ("key"), created_at ${large} NOT NULL,
        seen_at ${large} NOT NULL`,
        changingRows,
      )};
      CREATE INDEX sessions_holder ON sessions (holder);
      ${ending('attempts', `${key('about')}, count ${whole} NOT NULL`, changingRows)};
      ${dialect.events};
      CREATE INDEX events_identity_id ON events (identity_id, sequence) WHERE identity_id IS NOT NULL`,
    ],
    [
      `
      CREATE TABLE revocation_lists (
        ${key('"key"', bytes)}, url ${text} NOT NULL, asked_at ${large} NOT NULL, checked_at ${large} NOT NULL,
        renew_at ${large} NOT NULL, failure ${text}, mark ${bytes}
      ) ${rows};
      CREATE INDEX revocation_lists_checked_at ON revocation_lists (checked_at);
      CREATE TABLE list_contents (
        ${key('"key"', bytes)}, url ${text} NOT NULL, fetched_at ${large} NOT NULL, contents ${bytes} NOT NULL
      ) ${numberedRows};
      CREATE INDEX list_contents_fetched_at ON list_contents (fetched_at)`,
    ],
    [
      `CREATE TABLE service_times (
        ${key('name')}, seen_at ${large} NOT NULL, silent_from ${large}, answering_since ${large}
      ) ${changingRows}`,
    ],
    [ending('nodes', `${key('name')}, keys ${text} NOT NULL`, changingRows)],
    [`${ending('leases', key('name'), changingRows)}; ${ending('ended_lists', key('name'))}`],
    [
      addColumn('grants', `resource ${text}`),
      `${addColumn('device_authorizations', `resource ${text}`)}; ${registered('resource_servers', 'id')}`,
    ],
    [
      `
      CREATE TABLE signing_keys (
        ${key('id')}, algorithm ${text} NOT NULL, public_key ${text} NOT NULL, published_at ${large} NOT NULL,
        signs_from ${large}, removed_at ${large}
      ) ${rows};
      ${addColumn('grants', `bound_to ${bytes}`)};
      ${addColumn('grants', `audience ${text}`)};
      ${addColumn('grants', `signing_key ${text}`)}`,
    ],
    [
      `
      ${registered('token_issuers', 'label')};
      CREATE TABLE key_sets (
        ${key('name')}, checked_at ${large} NOT NULL, failure ${text}, fetched_at ${large}, contents ${text}
      ) ${numberedRows};
      CREATE INDEX key_sets_checked_at ON key_sets (checked_at);
      ${ending('assertions', key('mark', bytes))};
      ${addColumn('grants', `assertion ${text}`)}`,
    ],
    [`CREATE TABLE store_history (${key('name')}, epoch ${whole} NOT NULL, rollback ${text}) ${rows}`],
    addIndex('events_acts', `events (sequence) WHERE type IN ('revoked', 'administered')`),
    [`${addColumn('service_times', `outages ${text}`)}; ${addColumn('grants', `bindings ${text}`)}`],
    [addColumn('grants', `code ${text}`)],
    [addColumn('grants', `terms ${text}`)],
    [
      `
      ${addColumn('identities', `directory ${name}`)};
      ${addColumn('identities', `seen_at ${large}`)};
      ${addColumn('identities', `ended_at ${large}`)}`,
      ...addIndex('identities_directory', `identities ${where('directory')}`),
    ],
    [ending('refusal_counts', `${key('key')}, body ${text} NOT NULL`, changingRows)],
    [
      addColumn('identities', `pushed ${text}`),
      `
      CREATE TABLE pushed_groups (
        ${key('id')}, directory ${name}, name ${name}, body ${text} NOT NULL
      ) ${rows};
      CREATE INDEX pushed_groups_directory ON pushed_groups (directory);
      CREATE INDEX pushed_groups_name ON pushed_groups (name)`,
    ],
    [
      addColumn('sessions', `proof ${text}`),
      addColumn('device_authorizations', `proof ${text}`),
      `CREATE TABLE passkeys (${key('identity')}, keys ${text} NOT NULL) ${changingRows}`,
    ],
    [ending('figures', `${key('stretch')}, body ${text} NOT NULL`)],
  ];
}
