// A service on SQLite is moved to PostgreSQL while callers refresh and revoke without a pause: the command runs several
// times, the service stops, and the command runs once more. What was acknowledged must hold in the new store.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MOVED } from '../../src/store/all-tables.ts';
import { storeOf } from '../../src/store/change.ts';
import { differences, isMark, takeOver } from '../../src/store/move.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { runTessera } from '../../test/cli/command.ts';
import { aNode, anotherNode, type Node } from '../../test/node.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { Callers } from './callers.ts';
import { verdict } from './verdict.ts';

/** Returns how many promises were broken. `runs`: runs of the command under load. */
export async function moveUnderLoad(runs: number): Promise<number> {
  const folder = temporaryFolder('move');
  const server = await PostgresServer.start({ durable: true });
  await server.query('CREATE DATABASE tessera');
  try {
    const broken = await move(join(folder, 'tessera.db'), server.url('tessera'), runs);
    for (const what of broken.slice(0, 10)) console.error(what);
    return broken.length;
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true });
  }
}

async function move(path: string, url: string, runs: number): Promise<string[]> {
  const old = await aNode(storeOf(await openSqlite({ path, clock: systemClock.now })), { clock: systemClock });
  const callers = new Callers([old]);
  await callers.acknowledgedAfter(performance.now());
  const broken: string[] = [];
  for (let run = 1; run <= runs; run++) broken.push(...(await runMove(path, url, 'Copied, but not complete')));
  const { promised, violations } = await callers.stop();
  await old.store.close();
  broken.push(...violations, ...(await runMove(path, url, 'Moved, and both stores were compared')));
  const next = await anotherNode(storeOf(await openAt(url)), { keyring: old.keyring, clock: systemClock });
  broken.push(...(await unequal(path, next)));
  await takeOver(next.store);
  broken.push(...(await verdict(promised, next)).broken);
  await next.store.close();
  broken.push(...(await runMove(path, url, 'is in use')));
  console.log(
    `${runs + 2} runs, ${promised.length} acknowledged pairs and revocations, ${broken.length} promises broken`,
  );
  return broken;
}

async function runMove(path: string, url: string, expected: string): Promise<string[]> {
  const began = performance.now();
  const { status, printed } = await runTessera(['migrate-store', '--from', `sqlite:${path}`, '--to', url], {
    folder: dirname(path),
  });
  const written = [...printed.matchAll(/^(\w+) +\d+ +(\d+)$/gm)].map(([, what, count]) => `${what} ${count}`);
  console.log(`exit ${status} after ${Math.round(performance.now() - began)} ms; written: ${written.join(', ')}`);
  return printed.includes(expected) ? [] : [`expected "${expected}", exit ${status}:\n${printed}`];
}

async function unequal(path: string, { store }: Node): Promise<string[]> {
  const source = await openSqlite({ path, clock: systemClock.now });
  const found: string[] = [];
  for (const table of MOVED)
    for await (const { is, row } of differences(table, source, store))
      if (is !== 'same' && !isMark(table, row)) found.push(`${table.name} ${table.keyOf(row)}: ${is}`);
  await source.close();
  return found;
}
