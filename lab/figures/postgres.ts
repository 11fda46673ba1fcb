// Refreshes a second through the operation, on PostgreSQL and on SQLite, beside a plain loop of one statement for each
// refresh; in turns in one run, since the disk's speed varies. Then the effect on the tables.
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import { sqliteDatabase } from '../../test/store/sqlite-database.ts';
import { median } from '../quantiles.ts';
import { table } from './measure.ts';
import { echo } from './postgres/echo.ts';
import { fillPostgres, fillSqlite } from './postgres/fill.ts';
import { plainLoop } from './postgres/plain-loop.ts';
import { type Contestant, refreshing } from './postgres/refreshing.ts';
import { tableFigures } from './postgres/table-figures.ts';

export interface PostgresFigures {
  readonly grants: number;
  readonly callers: number;
  readonly rounds: number;
  /** Of one turn. */
  readonly seconds: number;
}

export async function postgresFigures({ grants, callers, rounds, seconds }: PostgresFigures): Promise<void> {
  const settings = ['shared_buffers = 512MB', 'max_wal_size = 4GB'];
  const server = await PostgresServer.start({ durable: true, settings });
  await server.query('CREATE DATABASE tessera');
  const url = server.url('tessera');
  const [onPostgres, sqlite] = [await openAt(url), await sqliteDatabase()];
  const contestants = [
    await refreshing('PostgreSQL', onPostgres, callers),
    await refreshing('SQLite', await sqlite.open(), callers),
    await plainLoop(url, callers),
    await echo(callers),
  ];
  await fillPostgres(server, 'tessera', grants);
  fillSqlite(sqlite.path, grants);

  const before = await tableFigures(server, 'tessera');
  const rates = await byTurns(contestants, rounds, seconds);
  const ends = await Promise.all(contestants.map((contestant) => contestant.stop()));
  await onPostgres.close();
  console.log(`${grants} grants, ${callers} callers, ${rounds} rounds of ${seconds} s`);
  for (const [name, each] of rates) console.log(rateWords(name, each));
  table([...rates].map(([name, each]) => ({ '': name, grants, 'refreshes a second': Math.round(median(each)) })));
  console.log('latency', ends.filter(Boolean).join('; '));
  console.log('table before', before);
  console.log('table after ', await tableFigures(server, 'tessera'));
  await sqlite.remove();
  await server.remove();
}

async function byTurns(contestants: readonly Contestant[], rounds: number, seconds: number) {
  const rates = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contestant of contestants) rates.get(contestant.name)?.push(await contestant.run(seconds * 1000));
  }
  return rates;
}

function rateWords(name: string, rates: readonly number[]): string {
  const each = rates.toSorted((a, b) => a - b).map((rate) => rate.toFixed(0));
  return `${name.padEnd(36)} ${median(rates).toFixed(0).padStart(6)}/s  (${each.join(' ')})`;
}
