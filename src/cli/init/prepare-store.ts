// How `tessera init` makes or keeps the store.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { examinePostgres, migratePostgresSchema, openStore } from '../../open-store.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { print } from '../terminal/output.ts';

/** Makes the store, or its schema, if missing. */
export async function prepareStore(config: Config): Promise<void> {
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  if (config.store.kind === 'sqlite') return prepareSqlite(config, config.store.path);
  const { before, now } = await migratePostgresSchema(config.store.url);
  const { place } = await examinePostgres(config.store.url);
  if (before === now) print(`Left the ${place}, as it is (schema ${now})`);
  else print(`${before === 0 ? 'Made' : 'Brought forward'} the schema of the ${place} (schema ${now})`);
}

async function prepareSqlite(config: Config, path: string): Promise<void> {
  if (existsSync(path)) return print(`Left the store ${path} as it is`);
  if (existsSync(`${path}-wal`))
    throw new CommandFailure(
      'store',
      `the store ${path} is gone, but its WAL is there: ${path}-wal`,
      'Put the file back, or: tessera restore FILE. For a new installation, move the WAL away.',
    );
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await (await openStore(config, 'init')).close();
  print(`Made the store ${path}`);
}
