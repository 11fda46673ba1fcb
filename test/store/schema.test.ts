// The schema follows from the tables. What is added to a store in use is what a new store has.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { seconds } from '../../src/core/time.ts';
import { TABLES } from '../../src/store/all-tables.ts';
import { DIALECT as POSTGRES } from '../../src/store/postgres/migrations.ts';
import { creationOf, upgradesOf } from '../../src/store/schema.ts';
import { DIALECT as SQLITE } from '../../src/store/sqlite/migrations.ts';
import { type AnyTable, keyedTable } from '../../src/store/table.ts';
import { sharedServer } from './postgres-database.ts';

interface Thing {
  readonly name: string;
}
const things = keyedTable<Thing>({
  name: 'things',
  columns: [{ name: 'name', kind: 'text', fixed: true, of: ({ name }) => name }],
  decode: ([name]) => ({ name: name as string }),
});
const more: AnyTable[] = [
  {
    ...things,
    columns: [
      ...things.columns,
      { name: 'colour', kind: 'text', rare: true, since: 19, of: () => null },
      { name: 'weight', kind: 'small', optional: true, since: 21, of: () => null },
    ],
    indexes: ['colour'],
  },
  {
    ...things,
    name: 'novelties',
    since: 19,
    columns: [
      ...things.columns,
      { name: 'ends_at', kind: 'integer', of: () => 1 },
      { name: 'mark', kind: 'hex', optional: true, since: 21, of: () => null },
    ],
    ends: { at: 'ends_at', kept: seconds(3600) },
  },
];
const COLUMNS = [
  'novelties.ends_at needed',
  'novelties.mark',
  'novelties.name needed',
  'novelties.revision needed',
  'things.colour',
  'things.name needed',
  'things.revision needed',
  'things.weight',
];
const INDEXES = ['novelties_ends_at', 'things_colour'];

test('in SQLite, an added column and an added table are in new stores and in upgraded ones', () => {
  for (const [tables, upgrades] of [[[things], upgradesOf(SQLITE, more)] as const, [more, []] as const]) {
    const database = new DatabaseSync(':memory:');
    database.exec(creationOf(SQLITE, tables));
    for (const { steps } of upgrades) database.exec(steps.join(';'));
    const read = (sql: string) =>
      database
        .prepare(sql)
        .all()
        .map(({ one }) => one);
    const columns = read(`SELECT m.name || '.' || c.name || iif(c."notnull", ' needed', '') AS one
      FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name <> 'events' ORDER BY 1`);
    assert.deepEqual(columns, COLUMNS);
    const indexes =
      "SELECT name AS one FROM sqlite_master WHERE sql LIKE 'CREATE INDEX%' AND tbl_name <> 'events' ORDER BY 1";
    assert.deepEqual(read(indexes), INDEXES);
    database.close();
  }
});

test('in PostgreSQL likewise, and every step but the last of a version can be repeated', async () => {
  const server = await sharedServer();
  for (const [name, tables, upgrades] of [
    ['upgraded', [things], upgradesOf(POSTGRES, more)] as const,
    ['made_new', more, []] as const,
  ]) {
    await server.query(`CREATE DATABASE ${name}`);
    await server.query(creationOf(POSTGRES, tables), name);
    for (const { steps } of upgrades)
      for (const step of [...steps.slice(0, -1), ...steps]) await server.query(step, name);
    const read = async (sql: string) => (await server.query(sql, name)).map(({ one }) => one);
    const columns = `SELECT table_name || '.' || column_name || CASE is_nullable WHEN 'NO' THEN ' needed' ELSE '' END AS one
      FROM information_schema.columns WHERE table_name IN ('things', 'novelties') ORDER BY 1`;
    assert.deepEqual(await read(columns), COLUMNS);
    const indexes = `SELECT indexname AS one FROM pg_indexes
      WHERE tablename IN ('things', 'novelties') AND indexname NOT LIKE '%pkey' ORDER BY 1`;
    assert.deepEqual(await read(indexes), INDEXES);
  }
});

test('every table that is declared is made, moved and swept', async () => {
  const folder = new URL('../../src/store/tables/', import.meta.url);
  const files = await Promise.all(readdirSync(folder).map((file) => import(new URL(file, folder).href)));
  const declared = files.flatMap((file) => Object.values(file as object)).filter((each) => each?.keyOf && each.columns);
  assert.deepEqual(new Set(TABLES.map(({ name }) => name)), new Set(declared.map(({ name }) => name)));
});

test('versions are those that something is since, and the oldest has nothing to add', () => {
  assert.deepEqual(
    upgradesOf(SQLITE, more).map(({ version }) => version),
    [19, 21],
  );
  assert.deepEqual(upgradesOf(SQLITE, [things]), []);
});
