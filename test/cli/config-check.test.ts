// `tessera config check` with PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresDatabase } from '../store/postgres-database.ts';
import { Commands } from './commands.ts';

test('config check says that the database does not let this role in, and what to do', async (t) => {
  const commands = new Commands();
  t.after(() => commands.close());
  const database = await postgresDatabase();
  const settings = ['--set', 'listeners=[{ port: 80 }]', '--set', 'keyring=env:KEYRING', '--set', 'dataFolder=.'];
  const check = (url: string) =>
    commands.run(['config', 'check', '--set', `store=${url}`, ...settings], { folder: '/tmp' });

  const good = await check(database.url);
  const elsewhere = await check(database.url.replace(/(\/\w+)(\?|$)/, '/nowhere$2'));
  const stranger = await check(database.url.replace(/\/\/\w+/, '//nobody'));
  assert.equal(good.status, 0, good.printed);
  assert.doesNotMatch(good.printed, /FAIL/);
  assert.match(good.printed, /warn {2}keyring: the variable KEYRING is not set\n/);
  assert.match(elsewhere.printed, /FAIL {2}database: .*"nowhere" does not exist.*\n {6}Create the database/);
  assert.equal(elsewhere.status, 1);
  assert.match(
    stranger.printed,
    /FAIL {2}database: .*"nobody" does not exist.*\n {6}The server does not let this role in/,
  );
  assert.equal(stranger.status, 1);
  await database.remove();
});
