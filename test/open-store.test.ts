// What holds for every configured store, and what each back end can do beyond that.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, suite, test } from 'node:test';
import { parseStoreAddress } from '../src/config/store-address.ts';
import { needed, openStore, storeAt } from '../src/open-store.ts';
import { Commands } from './cli/commands.ts';
import { sharedServer } from './store/postgres-database.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder('open-store');
const commands = new Commands();
after(async () => {
  await commands.close();
  rmSync(folder, { recursive: true });
});

let made = 0;

/** Addresses of stores that do not exist yet. */
const NEW = {
  SQLite: async () => `sqlite:${join(folder, `${++made}`, 'tessera.db')}`,
  PostgreSQL: async () => {
    const server = await sharedServer();
    const name = `configured_${++made}`;
    await server.query(`CREATE DATABASE ${name}`);
    return server.url(name);
  },
} as const;

const CAPABILITIES = ['copies', 'follows', 'movesFrom', 'movesTo', 'migrateSchema'] as const;
const CAN: Readonly<Record<keyof typeof NEW, readonly (typeof CAPABILITIES)[number][]>> = {
  SQLite: ['copies', 'follows', 'movesFrom'],
  PostgreSQL: ['movesTo', 'migrateSchema'],
};

for (const name of ['SQLite', 'PostgreSQL'] as const)
  suite(`a store on ${name}`, () => {
    const newStore = async () => ({ store: parseStoreAddress(await NEW[name](), resolve) });

    test('is made by prepare, left as it is by a second one, and opened by a command', async () => {
      const at = await newStore();
      assert.match(await storeAt(at).prepare(), /^Made the (?:store|schema of the database) /);
      assert.match(await storeAt(at).prepare(), /^Left the (?:store|database) .* as it is/);
      const store = await openStore(at, 'command');
      const { checks } = await store.examine();
      assert.deepEqual(
        checks.filter(({ problem }) => problem),
        [],
      );
      await store.close();
    });

    test('refuses each capability that it lacks, and says what to do instead', async () => {
      const at = await newStore();
      for (const capability of CAPABILITIES)
        if (CAN[name].includes(capability)) assert.equal(typeof needed(at, capability), 'function', capability);
        else
          assert.throws(
            () => needed(at, capability),
            ({ name: fault, todo }: Error & { todo: string }) => fault === 'StoreLacks' && /^\w.*\.$/.test(todo),
            capability,
          );
    });
  });

test('commands for SQLite files refuse a PostgreSQL store in one way, without connecting to it', async () => {
  writeFileSync(join(folder, 'copy.db'), '');
  const nowhere = 'postgres://tessera@127.0.0.1:1/none';
  for (const words of ['backup new.db', 'backup follow archive', 'restore copy.db']) {
    const { status, printed } = await commands.run([...words.split(' '), '--set', `store=${nowhere}`], { folder });
    assert.equal(
      printed,
      'tessera: the store is PostgreSQL\n  Use pg_dump and pg_restore: docs/postgresql.md.\n',
      words,
    );
    assert.equal(status, 1);
  }
  for (const [words, says] of [
    [
      `migrate-store --to ${nowhere} --set store=${nowhere}`,
      /^tessera: only SQLite stores are moved\n {2}Write --from/,
    ],
    ['migrate-store --to sqlite:new.db', /^tessera: stores are moved to PostgreSQL only\n {2}Write --to postgres:/],
    ['migrate-store --to nowhere', /^tessera: --to names no store\n {2}Write --to sqlite:PATH or --to postgres:/],
    ['migrate-schema --as sqlite:new.db', /^tessera: a SQLite store upgrades its schema when it is opened\n/],
  ] as const)
    assert.match((await commands.run(words.split(' '), { folder })).printed, says);
});
