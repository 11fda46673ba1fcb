// What operators do about passkeys at the command line.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { IdentityId } from '../../src/core/identity.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { passkeys } from '../../src/store/tables/identities.ts';
import { systemClock } from '../../src/system.ts';
import { put } from '../node.ts';
import { aPasskey } from '../samples.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Commands } from './commands.ts';

suite('passkeys of an operator', () => {
  const commands = new Commands();
  const folder = temporaryFolder('passkeys');
  const run = (...args: string[]) => commands.run(args, { folder });
  let id: IdentityId;
  before(async () => {
    const { printed } = await run('init', '--operator', 'olga');
    id = (/Added olga as (\S+),/.exec(printed)?.[1] ?? '') as IdentityId;
    const invitation = /^Invitation to add a passkey, shown this once, good until \S+: ([0-9a-f]{5}-){3}[0-9a-f]{5}$/m;
    assert.match(printed, invitation);
  });
  after(() => commands.close());

  test('init invites an operator once', async () => {
    assert.doesNotMatch((await run('init', '--operator', 'olga')).printed, /Invitation/);
  });

  test('set-password says how many passkeys remain, and removes them if asked', async () => {
    const store = await openSqliteStore({ path: join(folder, 'data/tessera.db'), clock: systemClock.now });
    await put(store, passkeys, { identityId: id, keys: [aPasskey()] });
    await store.close();
    const kept = await run('identity', 'set-password', 'olga', '--generate');
    assert.match(
      kept.printed,
      /1 passkey still good to sign in\. To remove: tessera identity passkey remove olga --all/,
    );
    const removed = await run('identity', 'set-password', 'olga', '--generate', '--remove-passkeys');
    assert.match(removed.printed, /Removed 1 passkey/);
    assert.match((await run('identity', 'passkey', 'list', 'olga')).printed, /\(none\)/);
  });
});
