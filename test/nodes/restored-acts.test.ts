// A signing key that leaked, under a database that is put back to before it was retired. Other acts: e2e/restored-acts.test.ts.
// Only in test:all: every kind of act
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, test } from 'node:test';
import { storeOf } from '../../src/store/change.ts';
import { Installation, JWT_CLIENT } from '../e2e/installation.ts';
import { keyOf } from '../e2e/made-things.ts';
import { registryFollows } from '../e2e/registry-follows.ts';
import { pairByCertificate, verify } from '../e2e/steps.ts';
import { eventually } from '../eventually.ts';
import { openAt } from '../store/postgres-node.ts';
import { PostgresServer } from '../store/postgres-server.ts';
import { copyDatabase, putBack, watching } from './put-back.ts';

const server = await PostgresServer.start();
after(() => server.remove());

const isReady = async (at: Installation) => (await at.caller.ask({ path: '/readyz' })).status === 200;
const untilReady = (at: Installation) => eventually('the service is ready', () => isReady(at));

/** A service on a new database, and another node that watches it. */
async function installed(name: string) {
  await server.query(`CREATE DATABASE ${name}`);
  const at = await Installation.make(server.url(name));
  await at.start();
  return at;
}

/** A node that has seen the newest events. */
async function watcherOf(name: string) {
  const store = storeOf(await openAt(server.url(name)));
  const { watch } = watching(store);
  await watch.look();
  return { look: () => watch.look(), close: () => store.close() };
}

test('a leaked signing key never comes back, and the next one signs as soon as the rollback is accepted', async () => {
  const at = await installed('leaked');
  const sign = async () => (await pairByCertificate(at.callerNamed('ada'), JWT_CLIENT)).access_token;
  const leaked = await sign();
  await copyDatabase(server, 'leaked', 'leaked_kept');
  await untilReady(at);
  const watcher = await watcherOf('leaked');
  const young = await at.printed(/^Added the signing key (\S+),/, 'keyring', 'add', '--signing', 'ES256');
  await at.run('keyring', 'mint', young, '--force');
  await at.run('keyring', 'retire', keyOf(leaked), '--at-once');
  await eventually('it is published no longer', async () => (await at.publishedKeys()).join() === young);
  for (let n = 0; n < 2; n++) await registryFollows(); // the service has read the keyring for the last time
  await watcher.look();
  await putBack(server, 'leaked', 'leaked_kept');
  const seen = new Set<string>();
  const look = async () => {
    for (const key of await at.publishedKeys()) seen.add(key);
  };
  await eventually('the service notices it', async () => {
    await look();
    return !(await isReady(at));
  });
  await watcher.look();
  await watcher.close();
  await at.run('store', 'accept-rollback', '--end-again');
  await eventually('the service is ready', async () => {
    await look();
    return isReady(at);
  });
  assert.deepEqual([...seen], [young]);
  assert.equal(keyOf(await sign()), young);
  assert.equal((await verify(at.caller, leaked)).status, 401);
  await at.stop();
  rmSync(at.home.folder, { recursive: true });
});
