// Takes a database back to an earlier schema, so that tests can upgrade it, or ahead to a later one. A new migration adds its line here.
import { DatabaseSync } from 'node:sqlite';

/** What undoes the migration to each schema, newest first. */
const UNDO: readonly (readonly [schema: number, text: string])[] = [
  [18, 'DROP TABLE figures'],
  [
    17,
    'DROP TABLE passkeys; ALTER TABLE sessions DROP COLUMN proof; ALTER TABLE device_authorizations DROP COLUMN proof',
  ],
  [16, 'ALTER TABLE identities DROP COLUMN pushed; DROP TABLE pushed_groups'],
  [15, 'DROP TABLE refusal_counts'],
  [
    14,
    `DROP INDEX identities_directory; ALTER TABLE identities DROP COLUMN directory;
     ALTER TABLE identities DROP COLUMN seen_at; ALTER TABLE identities DROP COLUMN ended_at`,
  ],
  [13, 'ALTER TABLE grants DROP COLUMN terms'],
  [12, 'ALTER TABLE grants DROP COLUMN code'],
  [11, 'ALTER TABLE service_times DROP COLUMN outages; ALTER TABLE grants DROP COLUMN bindings'],
  [10, 'DROP INDEX events_acts'],
  [9, 'DROP TABLE store_history'],
  [8, 'DROP TABLE token_issuers; DROP TABLE key_sets; DROP TABLE assertions; ALTER TABLE grants DROP COLUMN assertion'],
  [
    7,
    `DROP TABLE signing_keys; ALTER TABLE grants DROP COLUMN bound_to; ALTER TABLE grants DROP COLUMN audience;
     ALTER TABLE grants DROP COLUMN signing_key`,
  ],
  [
    6,
    `DROP TABLE resource_servers; ALTER TABLE grants DROP COLUMN resource;
     ALTER TABLE device_authorizations DROP COLUMN resource`,
  ],
  [5, 'DROP TABLE leases; DROP TABLE ended_lists'],
];

export function downgrade(path: string, schema: number): void {
  const database = new DatabaseSync(path);
  for (const [undone, text] of UNDO) if (undone > schema) database.exec(text);
  database.exec(`PRAGMA user_version = ${schema}`);
  database.close();
}

/** As the next release that changes the schema leaves it. */
export function newer(path: string): void {
  const database = new DatabaseSync(path);
  const { user_version: schema } = database.prepare('PRAGMA user_version').get() ?? {};
  database.exec(`PRAGMA user_version = ${Number(schema) + 1}`);
  database.close();
}
