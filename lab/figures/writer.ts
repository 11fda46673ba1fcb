// The writing half alone: batches of refreshes on a table of 100,000 grants, under the settings that could be chosen.
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { openForWriting } from '../../src/store/sqlite/database.ts';
import { migrate } from '../../src/store/sqlite/migrations.ts';
import { Seeded } from '../../test/seeded.ts';
import { probeFsync, table, temporaryFolder } from './measure.ts';

const GRANTS = 100_000;
const BATCH = 64;
const RUN_MS = 4000;

interface Choice {
  readonly name: string;
  readonly pageSize?: number;
  readonly pragmas?: string;
}

const CHOICES: readonly Choice[] = [
  { name: 'as it is' },
  { name: 'pages of 2048', pageSize: 2048 },
  { name: 'pages of 8192', pageSize: 8192 },
  { name: 'cache of 16 MB', pragmas: 'PRAGMA cache_size = -16384' },
  { name: 'cache of 64 MB', pragmas: 'PRAGMA cache_size = -65536' },
  { name: 'memory map of 256 MB', pragmas: 'PRAGMA mmap_size = 268435456' },
  { name: 'checkpoint every 4000 pages', pragmas: 'PRAGMA wal_autocheckpoint = 4000' },
  { name: 'checkpoint every 10000 pages', pragmas: 'PRAGMA wal_autocheckpoint = 10000' },
  {
    name: 'cache of 64 MB, checkpoint every 4000 pages',
    pragmas: 'PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 4000',
  },
];

export async function writerFigures(): Promise<void> {
  const folder = temporaryFolder();
  const rows = CHOICES.map((choice) => measure(choice, folder));
  table(rows);
  rmSync(folder, { recursive: true });
}

function measure({ name, pageSize, pragmas = '' }: Choice, folder: string): Record<string, string | number> {
  const path = join(folder, 'writer.db');
  const database = prepare(path, pageSize);
  database.exec(pragmas);
  const fsync = probeFsync(folder, 30).p50;
  const { commits, waits, wal } = writeBatches(database, path);
  const bytes = statSync(path).size / GRANTS;
  database.close();
  for (const end of ['', '-wal', '-shm']) if (existsSync(path + end)) rmSync(path + end);
  waits.sort((a, b) => a - b);
  const at = (part: number) => waits[Math.floor(waits.length * part)] ?? 0;
  return {
    '': name,
    'refreshes a second': (commits * BATCH * 1000) / RUN_MS,
    'commit p50 ms': at(0.5),
    'commit p99 ms': at(0.99),
    'longest ms': at(0.9999),
    'WAL MB': wal / 1e6,
    'bytes per grant': bytes,
    'fsync p50 ms': fsync,
  };
}

/** Refreshes as the writer would commit them, on rows at random, with their events. */
function writeBatches(database: DatabaseSync, path: string): { commits: number; waits: number[]; wal: number } {
  const chance = new Seeded(1);
  const update = database.prepare('UPDATE grants SET revision = ?, nonce = ?, issued_at = issued_at + 1 WHERE id = ?');
  const tell = database.prepare(
    "INSERT INTO events (at, type, client_id, subject_id, presenter) VALUES (?, 'refreshed', 'orders-sync', ?, '192.0.2.7 curl/8')",
  );
  const waits: number[] = [];
  let wal = 0;
  const end = performance.now() + RUN_MS;
  for (let started = performance.now(); started < end; started = performance.now()) {
    database.exec('BEGIN IMMEDIATE');
    for (let n = 0; n < BATCH; n++) {
      const id = idOf(chance.below(GRANTS));
      update.run(2 ** 30 + n, chance.bytes(16), id);
      tell.run(1_800_000_000, id);
    }
    database.exec('COMMIT');
    waits.push(performance.now() - started);
    if (waits.length % 20 === 0) wal = Math.max(wal, statSync(`${path}-wal`).size);
  }
  return { commits: waits.length, waits, wal };
}

function prepare(path: string, pageSize?: number): DatabaseSync {
  if (pageSize !== undefined) {
    const first = new DatabaseSync(path);
    first.exec(`PRAGMA page_size = ${pageSize}; VACUUM; PRAGMA journal_mode = WAL`);
    first.close();
  }
  const database = openForWriting(path);
  migrate(database);
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
