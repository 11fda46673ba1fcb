import { fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Hex } from '../../../src/core/hex.ts';
import { makeDatabase, openDatabase, preparer } from '../../../src/store/sqlite/connection.ts';
import { appendStep } from '../../../src/store/sqlite/events.ts';
import type { RotateAll } from './bare-rows.ts';

const sync = promisify(fdatasync);

export function openBareSqlite(path: string): RotateAll {
  makeDatabase(path);
  const database = openDatabase(path);
  const wal = openSync(`${path}-wal`, 'r');
  const prepared = preparer(database);
  const select = database.prepare(
    'SELECT revision, scope, refresh_until, hex(refresh_hash) FROM grants WHERE id = unhex(?)',
  );
  select.setReturnArrays(true);
  const update = database.prepare(
    `UPDATE grants SET revision = revision + 1, generation = generation + 1, refresh_hash = unhex(?), nonce = unhex(?), issued_at = ?, expires_at = ?
     WHERE id = unhex(?) AND revision = ?`,
  );
  return (grantIds, rotate) => {
    database.exec('BEGIN IMMEDIATE');
    for (const [at, id] of grantIds.entries()) {
      const [revision, scope, refreshUntil, hash] = select.get(id) as unknown as [number, string, number, string];
      const next = rotate(at, { revision, scope, refreshUntil, refreshHash: hash.toLowerCase() as Hex });
      update.run(next.refreshHash, next.nonce, next.issuedAt, next.expiresAt, id, revision);
      if (next.event === undefined) continue;
      const { sql, values } = appendStep(next.event);
      prepared(sql).run(...values);
    }
    database.exec('COMMIT');
    return sync(wal);
  };
}
