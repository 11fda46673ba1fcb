// The only file that knows the back ends; each is loaded on demand. What only some of them can do is an optional member of
// ConfiguredStore. Callers ask for the capability, never for the kind.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from './config/schema.ts';
import { OperatorFault } from './core/faults.ts';
import type { Clock } from './operations/ports.ts';
import type { Receiver, Source } from './store/move.ts';
import type { SchemaChange, ServerFacts } from './store/postgres/open.ts';
import type { Store, StoreUnavailable } from './store/store.ts';
import { refuseLink } from './store/store-file.ts';
import { systemClock } from './system.ts';
import type { Secret } from './tokens/secret.ts';

type At = Pick<Config, 'store'>;

/** A service waits for a database that is unavailable; a command fails. Only `init` makes a SQLite store. */
type Opener = 'service' | 'command' | 'init' | WhileAway;

/** Called about once a second while a service waits. Throwing ends the wait. */
type WhileAway = (why: StoreUnavailable) => void;

/** A store that is not open yet. */
interface ConfiguredStore {
  /** `clock` is for stores without a clock of their own. */
  readonly open: (opener: Opener, clock?: Clock) => Promise<Store>;
  /** Makes the store or its schema, if missing. Returns what it did, in a sentence. */
  readonly prepare: () => Promise<string>;
  /** What to do about a fault that names no remedy. */
  readonly remedy: string;
  /** Nodes on several machines can use it. */
  readonly isShared: boolean;
  /** It can be put back to an older state while nodes run: they remember what would be lost. */
  readonly canBePutBack: boolean;
  /** The file that holds it. */
  readonly file?: string;
  /** Throws if the address is malformed. Connects to nothing. */
  readonly checkAddress?: () => Promise<void>;
  /** Reads all of it. Undefined if nothing is damaged. */
  readonly whyDamaged?: () => Promise<string | undefined>;
  /** Facts about the server and the role. */
  readonly serverFacts?: () => Promise<ServerFacts>;
  /** Back up and restore. */
  readonly copies?: () => Promise<{ readonly file: string } & Copies>;
  /** Back up continuously. */
  readonly follows?: () => Promise<{ readonly file: string } & ContinuousBackup>;
  /** Opens it to be moved to another store: exclusively, or beside a service that is running. */
  readonly movesFrom?: () => Promise<Source>;
  /** Opens it to move another store into it. */
  readonly movesTo?: () => Promise<Receiver>;
  /** Upgrades the schema, as the role in the address. */
  readonly migrateSchema?: (progress?: (line: string) => void) => Promise<SchemaChange>;
}

type Copies = Awaited<ReturnType<typeof sqliteCopies>>;
type ContinuousBackup = Awaited<ReturnType<typeof continuousBackup>>;

const NO_COPIES = ['the store is PostgreSQL', 'Use pg_dump and pg_restore: docs/postgresql.md.'] as const;

/** What commands need, and the refusal if a store lacks it. */
const REFUSALS = {
  copies: NO_COPIES,
  follows: NO_COPIES,
  movesFrom: ['only SQLite stores are moved', 'Write --from sqlite:PATH.'],
  movesTo: ['stores are moved to PostgreSQL only', 'Write --to postgres://….'],
  migrateSchema: ['a SQLite store upgrades its schema when it is opened', 'For PostgreSQL, write --as postgres://….'],
} as const satisfies Partial<Record<keyof ConfiguredStore, readonly [what: string, todo: string]>>;

/** The back end of this store cannot do this. */
class StoreLacks extends OperatorFault {
  override readonly name = 'StoreLacks';
}

export function storeAt({ store }: At): ConfiguredStore {
  return store.kind === 'sqlite' ? sqliteStore(store.path) : postgresStore(store.url);
}

export function openStore(at: At, opener: Opener, clock?: Clock): Promise<Store> {
  return storeAt(at).open(opener, clock);
}

/** The capability that a command needs. Refuses if the store lacks it. */
export function needed<Name extends keyof typeof REFUSALS>(at: At, name: Name): NonNullable<ConfiguredStore[Name]> {
  const found = storeAt(at)[name];
  if (found) return found;
  const [what, todo] = REFUSALS[name];
  throw new StoreLacks(what, todo);
}

/** Opens both ends of a move as back ends: a move copies rows and events, and decides nothing. */
export async function openForMove(from: At, to: At): Promise<{ source: Source; target: Receiver }> {
  const [openSource, openTarget] = [needed(from, 'movesFrom'), needed(to, 'movesTo')];
  const source = await openSource();
  try {
    return { source, target: await openTarget() };
  } catch (error) {
    await source.backEnd.close();
    throw error;
  }
}

function sqliteStore(path: string): ConfiguredStore {
  const open = async (opener: Opener, clock = systemClock) => {
    const { openSqliteStore } = await import('./store/sqlite/open.ts');
    return openSqliteStore({ path, clock: clock.now, mustExist: opener !== 'init' });
  };
  const notLinked = () => {
    refuseLink(path);
    return { file: path };
  };
  return {
    open,
    prepare: async () => {
      if (existsSync(path)) return `Left the store ${path} as it is`;
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      await (await open('init')).close();
      return `Made the store ${path}`;
    },
    remedy: 'Look at the disk of the store, and at the log of the service.',
    isShared: false,
    canBePutBack: false,
    file: path,
    whyDamaged: async () => (await sqliteCopies()).whyDamaged(path),
    copies: async () => ({ ...notLinked(), ...(await sqliteCopies()) }),
    follows: async () => ({ ...notLinked(), ...(await continuousBackup()) }),
    movesFrom: () => openSource(path),
  };
}

function postgresStore(url: Secret): ConfiguredStore {
  const options = { url, environment: process.env };
  const migrateSchema = async (progress?: (line: string) => void) =>
    (await import('./store/postgres/open.ts')).migratePostgres({ ...options, ...(progress && { progress }) });
  const serverFacts = async () => (await import('./store/postgres/open.ts')).serverFacts(options);
  return {
    open: async (opener) => {
      const { openPostgresStore } = await import('./store/postgres/open.ts');
      const whileAway = opener === 'service' ? () => undefined : opener;
      return openPostgresStore({ ...options, ...(typeof whileAway === 'function' && { whileAway }) });
    },
    prepare: async () => {
      const { before, now } = await migrateSchema();
      const { place } = await serverFacts();
      if (before === now) return `Left the ${place}, as it is (schema ${now})`;
      return `${before === 0 ? 'Made' : 'Brought forward'} the schema of the ${place} (schema ${now})`;
    },
    remedy: 'See docs/postgresql.md.',
    isShared: true,
    canBePutBack: true,
    checkAddress: async () => {
      const { parseAddress } = await import('./store/postgres/address.ts');
      parseAddress(url, process.env);
    },
    serverFacts,
    movesTo: async () => (await import('./store/postgres/open.ts')).openPostgres(options),
    migrateSchema,
  };
}

/** Opens the store exclusively, so that no service can start meanwhile. If a service is running, shares the store with it. */
async function openSource(path: string): Promise<Source> {
  const { openSqlite } = await import('./store/sqlite/open.ts');
  const { isBusy } = await import('./store/sqlite/faults.ts');
  const options = { path, clock: systemClock.now, mustExist: true };
  try {
    return { backEnd: await openSqlite({ ...options, alone: true }), isAlone: true };
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { backEnd: await openSqlite(options), isAlone: false };
  }
}

/** For copies of stores, which are SQLite files whatever the configured store is. */
export async function sqliteCopies() {
  const [copies, { isBusy, isFull }, { lockFile }] = await Promise.all([
    import('./store/sqlite/backup.ts'),
    import('./store/sqlite/faults.ts'),
    import('./store/sqlite/connection.ts'),
  ]);
  return { ...copies, isBusy, isFull, lockFile };
}

/** For continuous backups, likewise. */
export async function continuousBackup() {
  const [{ followStore }, { rebuild, rebuildFrom }, { readSeries, seriesFolders }, records] = await Promise.all([
    import('./store/sqlite/continuous/follow.ts'),
    import('./store/sqlite/continuous/rebuild.ts'),
    import('./store/sqlite/continuous/archive.ts'),
    import('./store/sqlite/continuous/records.ts'),
  ]);
  const { BackupRefused, DamagedBackup } = records;
  return { followStore, rebuild, rebuildFrom, readSeries, seriesFolders, BackupRefused, DamagedBackup };
}
