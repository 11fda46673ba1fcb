// Stores that earlier versions made: test/fixtures/stores/README.md says what each contains.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { FeedState } from '../../src/core/feed.ts';
import type { Grant } from '../../src/core/grant.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { storeOf } from '../../src/store/change.ts';
import { rows } from '../../src/store/pages.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { sharedServer } from './postgres-database.ts';
import { openAt } from './postgres-node.ts';

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'stores');

const SQLITE = ['0.1/everything', '0.1/copy', '0.1/after', '0.2/everything', '0.2/copy', '0.2/after'] as const;
const POSTGRES = ['0.1/moved', '0.2/put-back'] as const;

export const OLD_STORES = [...SQLITE, ...POSTGRES] as const;
export type OldStoreName = (typeof OLD_STORES)[number];
type SqliteName = (typeof SQLITE)[number];

/** A row of the event log, as the earlier version wrote it. */
export interface StoredEvent {
  readonly sequence: number;
  readonly at: number;
  readonly type: string;
  /** JSON */
  readonly detail: string | null;
}

export interface OldStore {
  readonly name: OldStoreName;
  /** As the setting `store` names it. */
  readonly address: string;
  /** Read before the store was opened, so before any migration. */
  readonly stored: readonly StoredEvent[];
}

/** Opens a copy, with all migrations. In a SQLite store, time stands still at its newest event. */
export async function openOldStore(name: OldStoreName): Promise<Store> {
  return openPlaced(await placeOldStore(name));
}

export async function openPlaced({ address, stored }: OldStore): Promise<Store> {
  if (!address.startsWith('sqlite:')) return storeOf(await openAt(address));
  const newest = epochSeconds(stored.at(-1)?.at ?? 0);
  return openSqliteStore({ path: address.slice('sqlite:'.length), clock: () => newest, mustExist: true });
}

/** A copy, untouched so far. */
export function placeOldStore(name: OldStoreName): Promise<OldStore> {
  return isSqlite(name) ? placeFile(name) : placeDatabase(name);
}

/** A copy of the keyring that belongs to `everything` or to `copy`; its path. */
export function placeOldKeyring(name: `${'0.1' | '0.2'}/${'everything' | 'copy'}`): string {
  const path = join(temporaryFolder('old-keyring'), 'keyring.json');
  writeFileSync(path, readFileSync(join(FOLDER, `${name}.keyring.json`)), { mode: 0o600 });
  return path;
}

function isSqlite(name: OldStoreName): name is SqliteName {
  return (SQLITE as readonly string[]).includes(name);
}

const STORED = 'SELECT sequence, at, type, detail FROM events ORDER BY sequence';

async function placeFile(name: SqliteName): Promise<OldStore> {
  const path = join(temporaryFolder('old-store'), 'tessera.db');
  writeFileSync(path, contentOf(`${name}.db`));
  const database = new DatabaseSync(path);
  const stored = database.prepare(STORED).all() as unknown as StoredEvent[];
  database.close();
  return { name, address: `sqlite:${path}`, stored };
}

let made = 0;

async function placeDatabase(name: OldStoreName): Promise<OldStore> {
  const server = await sharedServer();
  const database = `old_${++made}`;
  await server.query(`CREATE DATABASE ${database}`);
  await server.query(contentOf(`${name}.sql`).toString('utf8'), database);
  const rows = (await server.query(STORED, database)) as unknown as StoredEvent[];
  // The driver returns large integers as texts.
  const stored = rows.map((row) => ({ ...row, sequence: Number(row.sequence), at: Number(row.at) }));
  return { name, address: server.url(database), stored };
}

function contentOf(file: string): Buffer {
  return gunzipSync(readFileSync(join(FOLDER, `${file}.gz`)));
}

export async function opened(t: TestContext, open: Promise<Store>): Promise<Store> {
  const store = await open;
  t.after(() => store.close());
  return store;
}

export function rowsOf(store: Store): Promise<Grant[]> {
  return Array.fromAsync(rows(store, grants));
}

export function grantsIn(states: readonly (FeedState | undefined)[]): string[] {
  return states.flatMap((state) => (state?.about === 'grant' ? [state.grantId] : [])).sort();
}

export async function idOf(store: Store, userName: string): Promise<string> {
  const found = (await Array.fromAsync(rows(store, identities))).find((identity) => identity.userName === userName);
  return found?.id ?? assert.fail(`there is no ${userName}`);
}
