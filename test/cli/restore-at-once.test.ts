// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockFile } from '../../src/store/sqlite/connection.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runTessera } from './command.ts';

const REFUSED = /another tessera restore works on .*\n +Wait until it has ended/;

test('of restores at the same time, those that do not wait their turn are refused, and nothing is lost', async () => {
  const folder = temporaryFolder('restore-at-once');
  const run = (...args: readonly string[]) => runTessera(args, { folder });
  const mustRun = async (...args: readonly string[]) => {
    const { status, printed } = await run(...args);
    assert.equal(status, 0, printed);
    return printed;
  };
  await mustRun('init');
  await mustRun('identity', 'add', 'ada', '--no-password');
  await mustRun('backup', 'copy.db');
  await mustRun('identity', 'disable', 'ada');
  const lock = lockFile(join(folder, 'data', 'tessera.db.restoring'));
  const second = await run('restore', 'copy.db');
  assert.equal(second.status, 4, second.printed);
  assert.match(second.printed, REFUSED);
  lock?.release();
  const restored = await Promise.all([1, 2, 3, 4].map(() => run('restore', 'copy.db')));
  const refused = restored.filter(({ status }) => status !== 0);
  assert.ok(refused.length < restored.length, 'one of them has restored the copy');
  for (const { printed } of refused) assert.match(printed, REFUSED);
  assert.match(await mustRun('identity', 'show', 'ada'), /disabled|enabled +no/);
  const left = readdirSync(join(folder, 'data')).filter((name) => /\.(?:restor|former|rebuilt)/.test(name));
  assert.deepEqual(left, []);
});
