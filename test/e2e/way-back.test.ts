// The way back of docs/upgrading.md: a release restores its own copy over the store of a later one.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newer } from '../store/newer-schema.ts';
import { Installation } from './installation.ts';

let at: Installation;
before(async () => {
  at = await Installation.make();
  await at.run('backup', 'copy.db');
});
after(() => rmSync(at.home.folder, { recursive: true, force: true }));

for (const flags of [[], ['--end-grants']])
  test(`the service runs again after restore${flags.map((flag) => ` ${flag}`).join('')} over the store of a later release`, async () => {
    newer(join(at.home.folder, 'tessera.db'));
    assert.equal((await at.try('grant', 'list')).status, 4, 'this release cannot use it');
    const printed = await at.run('restore', 'copy.db', ...flags);
    assert.match(printed, /could not be carried over: the database has schema \d+, newer than this release knows/);
    await at.start();
    assert.equal((await at.caller.ask({ path: '/readyz' })).status, 200);
    await at.stop();
  });
