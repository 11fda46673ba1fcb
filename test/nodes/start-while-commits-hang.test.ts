// A node that starts while commits of PostgreSQL hang, as they do while a synchronous standby is away.
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { openStore } from '../../src/open-store.ts';
import { commandEnvironment, TESSERA } from '../cli/command.ts';
import { makeHome, populate } from '../e2e/service.ts';
import { eventually } from '../eventually.ts';
import { PostgresServer } from '../store/postgres-server.ts';

test('a node that starts while commits hang waits, and serves when they end', async (t) => {
  await using server = await PostgresServer.start();
  const home = makeHome({ listeners: [{}], settings: { store: server.url() } });
  t.after(() => rmSync(home.folder, { recursive: true }));
  const store = await openStore(home.config, 'command');
  await populate(store, home.authority);
  await store.close();
  await server.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  await server.query('SELECT pg_reload_conf()');
  const flags = ['--config', home.configFile, '--set', `store=${server.url()}?statement_timeout=500`];
  const child = spawn(process.execPath, [TESSERA, ...flags, 'serve', '--workers', '1'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: commandEnvironment(),
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (printed += text));
  const ended = once(child, 'exit');
  await eventually('it waits', async () => printed.includes('waiting for the store') || child.exitCode !== null);
  assert.equal(child.exitCode, null, printed);
  await server.query('ALTER SYSTEM RESET synchronous_standby_names');
  await server.query('SELECT pg_reload_conf()');
  await eventually('it serves', async () => printed.includes('"msg":"ready"') || child.exitCode !== null);
  assert.match(printed, /"msg":"ready"/);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});
