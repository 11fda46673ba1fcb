// node lab/postgres-figures.ts [--grants N] [--seconds S] [--rounds R] [--callers C]
// Refreshes a second through the operation, on PostgreSQL and on SQLite, beside a plain loop of one statement for each
// refresh; by turns in one run, because the machine's disk is never the same twice. Then what it did to the tables.
import { parseArgs } from 'node:util';
import { openAt } from '../test/store/postgres-node.ts';
import { PostgresServer } from '../test/store/postgres-server.ts';
import { sqliteDatabase } from '../test/store/sqlite-database.ts';
import { echo } from './postgres/echo.ts';
import { fillPostgres, fillSqlite } from './postgres/fill.ts';
import { plainLoop } from './postgres/plain-loop.ts';
import { type Contestant, refreshing } from './postgres/refreshing.ts';
import { tableFigures } from './postgres/table-figures.ts';

const { values } = parseArgs({
  options: {
    grants: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    callers: { type: 'string', default: '64' },
  },
});
const [grants, seconds, rounds, callers] = [values.grants, values.seconds, values.rounds, values.callers].map(
  Number,
) as [number, number, number, number];

const server = await PostgresServer.start({
  durable: true,
  settings: ['shared_buffers = 512MB', 'max_wal_size = 4GB'],
});
await server.query('CREATE DATABASE tessera');
const url = server.url('tessera');
const [onPostgres, sqlite] = [await openAt(url), await sqliteDatabase()];
const onSqlite = await sqlite.open();
const contestants: Contestant[] = [
  await refreshing('PostgreSQL', onPostgres, callers),
  await refreshing('SQLite', onSqlite, callers),
  await plainLoop(url, callers),
  await echo(callers),
];
await fillPostgres(server, 'tessera', grants);
fillSqlite(sqlite.path, grants);

const before = await tableFigures(server, 'tessera');
const rates = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const contestant of contestants) rates.get(contestant.name)?.push(await contestant.run(seconds * 1000));
}
const ends = await Promise.all(contestants.map((contestant) => contestant.stop()));
await onPostgres.close();
const after = await tableFigures(server, 'tessera');

console.log(`${grants} grants, ${callers} callers, ${rounds} rounds of ${seconds} s`);
for (const [name, each] of rates) {
  const sorted = each.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  console.log(
    `${name.padEnd(34)} ${middle.toFixed(0).padStart(6)}/s  (${sorted.map((rate) => rate.toFixed(0)).join(' ')})`,
  );
}
console.log('latency', ends.filter(Boolean).join('; '));
console.log('table before', before);
console.log('table after ', after);
await sqlite.remove();
await server.remove();
