// Every act that ends something, after a copy of the store was taken: when the copy is restored, it stays ended.
// Only in test:all: every kind of act
import assert from 'node:assert/strict';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '../temporary-folder.ts';
import { allCases, EndedThings, nameOf } from './ended-things.ts';
import { Installation } from './installation.ts';
import { registryFollows } from './registry-follows.ts';

let at: Installation;
let things: EndedThings;
let moment: string;
const kept = temporaryFolder('kept');

before(async () => {
  at = await Installation.make();
  await at.start();
  const stopBackup = await at.backUp('copies');
  things = await EndedThings.make(at);
  await pause(300);
  moment = new Date().toISOString();
  await at.run('backup', 'copy.db');
  await pause(100);
  await things.end();
  await registryFollows();
  await things.assertEnded();
  await Promise.all([stopBackup(), at.stop()]);
  cpSync(at.home.folder, kept, { recursive: true });
});
after(() => rmSync(at.home.folder, { recursive: true, force: true }));

/** The folder as it was before any restore. */
function asItWas(): void {
  for (const name of readdirSync(at.home.folder)) rmSync(join(at.home.folder, name), { recursive: true });
  cpSync(kept, at.home.folder, { recursive: true });
}

const RESTORES: Readonly<Record<string, () => readonly string[]>> = {
  'a copy': () => ['copy.db'],
  'a continuous backup': () => ['copies', '--at', moment],
};

for (const [what, args] of Object.entries(RESTORES))
  suite(`after ${what} was restored`, () => {
    let printed: string;
    before(async () => {
      asItWas();
      printed = await at.run('restore', ...args());
      await at.start();
      await things.look();
    });
    after(() => at.stop());

    for (const each of allCases()) test(nameOf(each), () => things.assertRestored(each));

    test('what was ended again is listed', () => {
      const lines = printed.split('\n').map((line) => line.split(/ {2,}/).join(' '));
      for (const each of things.endedAgain()) assert.ok(lines.includes(each), `${each}\n${printed}`);
    });

    test('the service is ready, and doctor has no complaint', async () => {
      assert.equal((await at.caller.ask({ path: '/readyz' })).status, 200);
      assert.doesNotMatch((await at.try('doctor')).printed, /^FAIL/m);
    });
  });
