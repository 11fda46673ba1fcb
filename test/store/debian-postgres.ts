// Needs: postgresql
import { globSync } from 'node:fs';
import { dirname } from 'node:path';

/** Debian's own PostgreSQL, the newest release that is installed: with translations, pg_rewind and a compiler for plans. */
export function debianPrograms(): string {
  const release = (path: string) => Number(path.split('/')[4]);
  const found = globSync('/usr/lib/postgresql/*/bin/pg_rewind').sort((a, b) => release(b) - release(a));
  if (!found[0]) throw new Error('no PostgreSQL under /usr/lib/postgresql: apt-get install postgresql');
  return dirname(found[0]);
}
