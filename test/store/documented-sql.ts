import { readFileSync } from 'node:fs';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** As psql takes it. */
export function shippedRoles(): string {
  return read('deploy/postgres/roles.sql');
}

/** What docs/postgresql.md tells the owner to run after the first migration. */
export function sqlAfterMigration(): string {
  return /`(REVOKE INSERT[^`]+)`/.exec(read('docs/postgresql.md'))?.[1] ?? '';
}
