// Writes alone: batches of refreshes on a table of 100,000 grants, under each candidate setting.
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { makeDatabase, openDatabase } from '../../src/store/sqlite/connection.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import { Seeded } from '../../test/seeded.ts';
import { median } from '../quantiles.ts';
import { figuresFolder, probeFsync, table } from './measure.ts';

const GRANTS = 100_000;
const BATCH = 64;
const SLICE_MS = 700;
const ROUNDS = 9;

interface Choice {
  readonly name: string;
  readonly pageSize?: number;
  readonly pragmas?: string;
}

const CHOICES: readonly Choice[] = [
  { name: 'as it is' },
  { name: 'pages of 2048', pageSize: 2048 },
  { name: 'pages of 8192', pageSize: 8192 },
  { name: 'cache of 64 MB', pragmas: 'PRAGMA cache_size = -65536' },
  { name: 'checkpoint every 4000 pages', pragmas: 'PRAGMA wal_autocheckpoint = 4000' },
  { name: 'checkpoint every 10000 pages', pragmas: 'PRAGMA wal_autocheckpoint = 10000' },
  {
    name: 'cache of 64 MB, checkpoint every 4000 pages',
    pragmas: 'PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000',
  },
];

interface Contender {
  readonly name: string;
  readonly path: string;
  readonly database: DatabaseSync;
  /** Milliseconds of every commit, and refreshes a second of each round. */
  readonly waits: number[];
  readonly rates: number[];
  wal: number;
}

/** In turns, round after round, since the disk's speed varies from minute to minute. */
export async function writerFigures(): Promise<void> {
  const folder = figuresFolder();
  const contenders = CHOICES.map((choice, n) => contender(choice, join(folder, `${n}.db`)));
  const fsyncs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of contenders) writeBatches(each);
    fsyncs.push(probeFsync(folder, 30).p50);
  }
  table(contenders.map(rowOf));
  console.log(`fsync of 4 KiB, p50 of each round: ${fsyncs.map((ms) => ms.toFixed(2)).join(', ')} ms`);
  for (const { database } of contenders) database.close();
  rmSync(folder, { recursive: true });
}

function contender({ name, pageSize, pragmas = '' }: Choice, path: string): Contender {
  const database = prepare(path, pageSize);
  database.exec(pragmas);
  return { name, path, database, waits: [], rates: [], wal: 0 };
}

function rowOf({ name, waits, rates, wal }: Contender): Record<string, string | number> {
  waits.sort((a, b) => a - b);
  const at = (part: number) => waits[Math.floor(waits.length * part)] ?? 0;
  return {
    '': name,
    'refreshes a second': median(rates),
    best: Math.max(...rates),
    'commit p50 ms': at(0.5),
    'commit p99 ms': at(0.99),
    'WAL MB': wal / 1e6,
  };
}

/** Refreshes of random rows with their events, as the writer commits them. */
function writeBatches(contender: Contender): void {
  const { database, path, waits, rates } = contender;
  const chance = new Seeded(rates.length);
  const update = database.prepare('UPDATE grants SET revision = ?, nonce = ?, issued_at = issued_at + 1 WHERE id = ?');
  const tell = database.prepare(
    "INSERT INTO events (at, type, client_id, subject_id, presenter) VALUES (?, 'refreshed', 'orders-sync', ?, '192.0.2.7 curl/8')",
  );
  const end = performance.now() + SLICE_MS;
  let commits = 0;
  for (let started = performance.now(); started < end; started = performance.now()) {
    database.exec('BEGIN IMMEDIATE');
    for (let n = 0; n < BATCH; n++) {
      const id = idOf(chance.below(GRANTS));
      update.run(2 ** 30 + n, chance.bytes(16), id);
      tell.run(1_800_000_000, id);
    }
    database.exec('COMMIT');
    waits.push(performance.now() - started);
    commits++;
  }
  rates.push((commits * BATCH * 1000) / SLICE_MS);
  contender.wal = Math.max(contender.wal, statSync(`${path}-wal`).size);
}

function prepare(path: string, pageSize?: number): DatabaseSync {
  if (pageSize !== undefined) {
    const first = new DatabaseSync(path);
    first.exec(`PRAGMA page_size = ${pageSize}; VACUUM; PRAGMA journal_mode = WAL`);
    first.close();
  }
  makeDatabase(path);
  const database = openDatabase(path);
  migrate(database, true);
  const holder = Buffer.alloc(16, 1);
  database
    .prepare("INSERT INTO identities (key, revision, id, enabled, may_use_api) VALUES (?, 1, 'local:00', 1, 1)")
    .run(holder);
  const insert =
    database.prepare(`INSERT INTO grants VALUES (?, 1073741824, 'orders-sync', ?, 'orders:read', NULL, NULL, NULL,
    1800000000, 1831536000, 0, 1, ?, 16777216, 1, ?, ?, 1800000000, 1807776000, '192.0.2.7 curl/8', NULL, NULL)`);
  database.exec('BEGIN');
  for (let n = 0; n < GRANTS; n++)
    insert.run(idOf(n), holder, Buffer.alloc(32, n), Buffer.alloc(32, n), Buffer.alloc(16));
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  return database;
}

function idOf(n: number): Buffer {
  const id = Buffer.alloc(16);
  id.writeUInt32BE(n, 4);
  return id;
}
