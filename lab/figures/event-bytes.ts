// How much the event log grows per refresh on both stores: the size on disk before and after many refreshes.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { presenter } from '../../src/core/presenter.ts';
import { refreshTokens } from '../../src/operations/grant/refresh-tokens.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { systemClock } from '../../src/system.ts';
import { accepted, aNode, issue, NOTHING_PRESENTED, type Node } from '../../test/node.ts';
import { CLIENT } from '../../test/samples.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import { figuresFolder, sqliteBytes, table } from './measure.ts';

const EVENTS = 100_000;
const GRANTS = 1000;
const CALLER = presenter('192.0.2.7', 'curl/8.5.0');

export async function eventByteFigures(): Promise<void> {
  table([
    { '': 'SQLite', 'bytes per event': await onSqlite() },
    { '': 'PostgreSQL, with its indexes', 'bytes per event': await onPostgres() },
  ]);
  console.log(`${EVENTS} refreshes of ${CLIENT} by ${CALLER.agent}`);
}

/** The grants were refreshed before, so only the event log grows. */
async function onSqlite(): Promise<number> {
  const folder = figuresFolder();
  const path = join(folder, 'events.db');
  const backEnd = await openSqlite({ path, clock: () => systemClock.now() });
  const bytes = await bytesPerEvent(backEnd, async () => sqliteBytes(path));
  rmSync(folder, { recursive: true });
  return bytes;
}

async function onPostgres(): Promise<number> {
  const server = await PostgresServer.start();
  await server.query('CREATE DATABASE tessera');
  const bytes = await bytesPerEvent(await openAt(server.url('tessera')), async () => {
    const [row] = await server.query(
      `SELECT sum(pg_total_relation_size(relid))::float8 AS bytes FROM pg_partition_tree('events')`,
      'tessera',
    );
    return row?.['bytes'] as number;
  });
  await server.remove();
  return bytes;
}

async function bytesPerEvent(backEnd: BackEnd, size: () => Promise<number>): Promise<number> {
  const node = await aNode(storeOf(backEnd), { clock: systemClock });
  let pairs = await Promise.all(Array.from({ length: GRANTS }, () => issue(node)));
  pairs = await refreshEach(pairs, node, 0);
  const before = await size();
  for (let n = 1; n <= EVENTS / GRANTS; n++) pairs = await refreshEach(pairs, node, n * GRANTS);
  const after = await size();
  await backEnd.close();
  return (after - before) / EVENTS;
}

function refreshEach(pairs: readonly TokenPair[], node: Node, from: number): Promise<TokenPair[]> {
  return Promise.all(
    pairs.map(async (pair, n) => {
      const refreshToken = pair.refreshToken?.reveal() ?? '';
      const requestId = (from + n).toString(16).padStart(16, '0');
      const request = { clientId: CLIENT, refreshToken, presenter: CALLER, ...NOTHING_PRESENTED, requestId };
      return accepted(await refreshTokens(request, node));
    }),
  );
}
