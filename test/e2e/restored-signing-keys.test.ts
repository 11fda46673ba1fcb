// A signing key that leaked and was retired at once never comes back, whatever state of the store is restored.
// Only in test:all: every kind of act
import assert from 'node:assert/strict';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';
import { temporaryFolder } from '../temporary-folder.ts';
import { Installation, JWT_CLIENT } from './installation.ts';
import { keyOf } from './made-things.ts';
import { pairByCertificate, verify } from './steps.ts';

const COPIES = {
  'first.db': 'before the new key was added',
  'second.db': 'before the new key signed',
  'third.db': 'while the old key was retiring',
};

const kept = temporaryFolder('kept');
let at: Installation;
let [old, young, leaked] = ['', '', ''];

const jwt = async () => (await pairByCertificate(at.callerNamed('ada'), JWT_CLIENT, 'orders:read')).access_token;

before(async () => {
  at = await Installation.make();
  await at.start();
  leaked = await jwt();
  old = keyOf(leaked);
  await at.stop();
  await at.run('backup', 'first.db');
  young = await at.printed(/^Added the signing key (\S+),/, 'keyring', 'add', '--signing', 'ES256');
  await at.run('backup', 'second.db');
  await at.run('keyring', 'mint', young, '--force');
  await at.run('backup', 'third.db');
  await at.run('keyring', 'retire', old, '--at-once');
  cpSync(at.home.folder, kept, { recursive: true });
});
afterEach(() => at.stop());
after(() => rmSync(at.home.folder, { recursive: true, force: true }));

/** The folder as it was before any restore. `isGone`: without the store. */
function asItWas(isGone: boolean): void {
  for (const name of readdirSync(at.home.folder)) rmSync(join(at.home.folder, name), { recursive: true });
  cpSync(kept, at.home.folder, { recursive: true, filter: (path) => !(isGone && /tessera\.db/.test(path)) });
}

for (const isGone of [false, true])
  suite(isGone ? 'on a machine that has the keyring and no store' : 'in place of a newer store', () => {
    for (const [copy, when] of Object.entries(COPIES))
      test(`back up ${when}, retire the old key at once, restore: it never comes back`, async () => {
        asItWas(isGone);
        const printed = await at.run('restore', copy);
        assert.match(printed, new RegExp(`^signing key +${old}$`, 'm'));
        await at.start();
        assert.deepEqual(await at.publishedKeys(), [young], 'also in the first answer');
        assert.equal((await verify(at.caller, leaked)).status, 401);
        assert.equal(keyOf(await jwt()), young);
        assert.equal((await at.caller.ask({ path: '/readyz' })).status, 200);
        assert.doesNotMatch((await at.try('doctor')).printed, /^FAIL/m);
      });
  });

test('without the keyring, a copy is restored all the same', async () => {
  asItWas(true);
  rmSync(join(at.home.folder, 'keyring.json'));
  const printed = await at.run('restore', 'first.db');
  assert.match(printed, /^The keyring was not compared with the store: the keyring is missing, but key 1 is in use/m);
});
