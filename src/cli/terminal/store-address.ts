// Addresses of stores, on the command line and in the configuration.
import type { Config } from '../../config/schema.ts';
import { refuseLink } from '../../store/store-file.ts';
import { CommandFailure } from './exit.ts';

/** Matches the text, because URL parsers reject addresses with several hosts. */
export function refusePassword(address: string): void {
  if (!/^[^/]*\/\/[^/?]*:[^/?]*@/.test(address)) return;
  const todo = 'Leave it out, and set PGPASSWORD or ?passwordFile=FILE: other users can read command lines.';
  throw new CommandFailure('usage', 'the address holds a password', todo);
}

/** Backups and moves read a SQLite file. */
export function sqlitePath({ store }: Config): string {
  if (store.kind === 'sqlite') {
    refuseLink(store.path);
    return store.path;
  }
  throw new CommandFailure(
    'configuration',
    'the store is PostgreSQL',
    'Use pg_dump and pg_restore: docs/postgresql.md.',
  );
}
