// Nodes that were killed could not say that they leave. On the machine where they ran, that is known at once.
import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../src/open-store.ts';
import { Commands } from '../cli/commands.ts';
import { PostgresServer } from '../store/postgres-server.ts';
import { startProcess } from './process.ts';
import { makeHome, populate, populatedHome } from './service.ts';

for (const kind of ['SQLite', 'PostgreSQL'] as const)
  test(`${kind}: a process that was killed does not keep others from using a key; one that runs does`, async (t) => {
    const { home, settle } = await (kind === 'SQLite' ? onSqlite() : onPostgres());
    const commands = new Commands();
    // The keyring of another node: this service does not get the keys that it adds.
    const keyring = join(home.folder, 'of-another-node.json');
    copyFileSync(join(home.folder, 'keyring.json'), keyring);
    const given = ['--config', home.configFile, '--set', `keyring=${keyring}`];
    const run = (...args: readonly string[]) => commands.run([...given, ...args], { folder: home.folder });
    const service = await startProcess(home);
    t.after(async () => {
      await Promise.all([service.kill(), commands.close()]);
      await settle();
      rmSync(home.folder, { recursive: true });
    });
    assert.equal((await run('keyring', 'add')).status, 0);
    assert.equal((await run('keyring', 'add', '--signing', 'ES256')).status, 0);
    const jwt = ['integration', 'add', 'with-jwt', '--scope', 'orders:read', '--access-token-format', 'jwt'] as const;
    for (const args of [['keyring', 'mint', '2'], jwt]) {
      const { status, printed } = await run(...args);
      assert.equal(status, 1);
      const said =
        /^tessera: these nodes do not have the key yet: (\S+) \(last reported (\d+) s ago, counts for (\d+) s more\)$/m;
      const [, name = '', ago, left] = said.exec(printed) ?? assert.fail(printed);
      assert.match(name, new RegExp(`:${service.process.pid}:`));
      assert.equal(Number(ago) + Number(left), 180);
      assert.match(printed, /For one that was killed, wait until it no longer counts/);
    }

    await service.kill();
    assert.match((await run('keyring', 'mint', '2')).printed, /^Key 2 mints/m);
    assert.equal((await run(...jwt)).status, 0);
    assert.doesNotMatch((await run('status')).printed, new RegExp(`:${service.process.pid}:`));
  });

async function onSqlite() {
  return { home: await populatedHome(), settle: async () => undefined };
}

async function onPostgres() {
  const server = await PostgresServer.start();
  const home = makeHome({ settings: { store: server.url() } });
  const store = await openStore(home.config, 'command');
  await populate(store, home.authority);
  await store.close();
  return { home, settle: () => server.remove() };
}
