// New SQLite stores: as the first that this process makes, and then copies of it. Most of the time is the migrations and their syncs.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeStore } from '../../src/store/sqlite/open.ts';
import { temporaryFolder } from '../temporary-folder.ts';

let first: Buffer | undefined;

export function newSqlite(path: string): void {
  first ??= make();
  writeFileSync(path, first, { mode: 0o600 });
}

function make(): Buffer {
  const folder = temporaryFolder('new-store');
  const path = join(folder, 'tessera.db');
  makeStore(path);
  const made = readFileSync(path);
  rmSync(folder, { recursive: true });
  return made;
}
