// A real pgbouncer between nodes and PostgreSQL: session mode works, transaction mode is detected and reported.
// Needs: pgbouncer
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { storeOf } from '../../src/store/change.ts';
import { freePort } from '../free-port.ts';
import { isListening } from '../listening.ts';
import { accepted, aNode, issue, refresh } from '../node.ts';
import { openAt } from '../store/postgres-node.ts';
import { PostgresServer } from '../store/postgres-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const NOBODY = 65534;
const isRoot = process.getuid?.() === 0;
const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) =>
  existsSync(path),
);

const server = await PostgresServer.start();
await server.query('CREATE DATABASE tessera');
await (await openAt(server.url('tessera'))).close();
after(() => server.remove());

/** Its port, once it accepts connections. */
async function pooler(mode: 'session' | 'transaction'): Promise<{ url: string } & AsyncDisposable> {
  assert.ok(PROGRAM, 'pgbouncer is missing: apt-get install pgbouncer');
  const folder = temporaryFolder('pooler');
  const port = await freePort();
  const [config, users] = [join(folder, 'pgbouncer.ini'), join(folder, 'users.txt')];
  writeFileSync(users, '"postgres" ""\n');
  writeFileSync(
    config,
    `[databases]\n* = host=127.0.0.1 port=${server.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      `auth_type = trust\nauth_file = ${users}\npool_mode = ${mode}\nunix_socket_dir =\nlogfile = ${folder}/log\n`,
  );
  if (isRoot) for (const path of [folder, config, users]) chownSync(path, NOBODY, NOBODY);
  const child = spawn(PROGRAM, ['-q', config], { stdio: 'ignore', ...(isRoot && { uid: NOBODY, gid: NOBODY }) });
  while (!(await isListening(port))) {
    assert.equal(child.exitCode, null, 'pgbouncer ended');
    await pause(20);
  }
  const stop = async () => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    rmSync(folder, { recursive: true });
  };
  return { url: `postgres://postgres@127.0.0.1:${port}/tessera`, [Symbol.asyncDispose]: stop };
}

test('pgbouncer in transaction mode is detected and reported', async () => {
  await using bouncer = await pooler('transaction');
  for (let n = 0; n < 5; n++)
    await assert.rejects(openAt(bouncer.url), {
      name: 'StoreUnusable',
      message: /pooler in transaction mode \(pgbouncer\?\)/,
      todo: /pool_mode = session/,
    });
});

test('pgbouncer in transaction mode is detected while other clients use it', async () => {
  await using bouncer = await pooler('transaction');
  let isBusy = true;
  const others = Array.from({ length: 6 }, async () => {
    const client = new pg.Client({ connectionString: bouncer.url });
    await client.connect();
    while (isBusy) await client.query('SELECT pg_sleep(random() * 0.01)');
    await client.end();
  });
  for (let n = 0; n < 12; n++)
    await assert.rejects(openAt(bouncer.url), { name: 'StoreUnusable', message: /pooler in transaction mode/ });
  isBusy = false;
  await Promise.all(others);
});

test('pgbouncer in session mode works', async () => {
  await using bouncer = await pooler('session');
  const node = await aNode(storeOf(await openAt(bouncer.url)));
  accepted(await refresh(node, await issue(node)));
  await node.store.close();
});
