// The server refuses sessions, or all sessions are in use.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { Connections } from '../../src/store/postgres/connections.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { given } from '../given.ts';
import { takeFreeConnections } from './free-connections.ts';
import { PostgresServer } from './postgres-server.ts';

const server = given(() => PostgresServer.start({ settings: ['max_connections = 10'] }));

const connections = (query: string) => new Connections(parseAddress(new Secret(`${server.url()}?${query}`), {}));
const ONE = 'SELECT 1';

/** Keeps a session busy until released. */
async function busy(node: Connections): Promise<{ done: Promise<void>; release: () => void }> {
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = node.write(() => {
    started.resolve();
    return released.promise;
  });
  await Promise.race([started.promise, done]);
  return { done, release: released.resolve };
}

test('when the server has no free connections, requests wait for one of the node’s sessions', async () => {
  const node = connections('connections=8&statement_timeout=60000');
  await node.read(ONE);
  const others = await takeFreeConnections(server.url());
  const work = await busy(node);
  const reads = Array.from({ length: 20 }, () => node.read(ONE));
  await pause(100);
  work.release();
  for (const { rows } of await Promise.all(reads)) assert.deepEqual(rows, [[1]]);
  await work.done;
  await Promise.all(others.map((other) => other.end()));
  node.sessions.close();
});

test('a node without any session gives StoreUnavailable at once, with the reason', async () => {
  const others = await takeFreeConnections(server.url());
  const node = connections('connections=8&statement_timeout=60000');
  await assert.rejects(node.read(ONE), (fault) => {
    assert.ok(fault instanceof StoreUnavailable);
    assert.match(fault.message, /too many clients|reserved for/);
    return true;
  });
  await Promise.all(others.map((other) => other.end()));
  await pause(50);
  assert.deepEqual((await node.read(ONE)).rows, [[1]]);
  node.sessions.close();
});

test('a request that waits too long, or finds the queue full, is refused', async () => {
  const node = connections('connections=1&statement_timeout=5000');
  const work = await busy(node);
  const waiting = Array.from({ length: 1000 }, () => node.read(ONE));
  await assert.rejects(node.read(ONE), /no free session: 1000 requests wait already/);
  const results = await Promise.allSettled(waiting);
  assert.ok(results.every(({ status }) => status === 'rejected'));
  assert.match(String((results[0] as PromiseRejectedResult).reason), /no free session: none became free in 3000 ms/);
  work.release();
  await work.done;
  assert.deepEqual((await node.read(ONE)).rows, [[1]]);
  node.sessions.close();
});

test('closing refuses waiting requests', async () => {
  const node = connections('connections=1');
  const work = await busy(node);
  const waiting = node.read(ONE);
  await pause(50);
  node.sessions.close();
  await assert.rejects(waiting, /the store is closed/);
  work.release();
  await work.done;
});

test('after another server took over, sessions at the old one are not used again', async (t) => {
  await using other = await PostgresServer.start();
  for (const each of [server, other]) await each.query('CREATE DATABASE shared');
  const hosts = [server, other].map(({ port }) => `127.0.0.1:${port}`).join(',');
  const node = new Connections(parseAddress(new Secret(`postgres://postgres@${hosts}/shared?connections=3`), {}));
  t.after(() => node.sessions.close());
  const [first, second] = [await busy(node), await busy(node)];
  const { origin } = node.sessions;
  first.release();
  await first.done;
  const slow = node.read('SELECT inet_server_port() FROM pg_sleep(0.5)'); // by the first session
  await server.query('ALTER DATABASE shared ALLOW_CONNECTIONS false');
  const third = await busy(node);
  assert.notEqual(node.sessions.origin, origin, 'it is at the other server');
  assert.equal((await slow).rows[0]?.[0], other.port, 'read again');
  for (const each of [second, third]) each.release();
  await Promise.all([second.done, third.done]);
  for (let n = 0; n < 4; n++) assert.equal((await node.read('SELECT inet_server_port()')).rows[0]?.[0], other.port);
});
