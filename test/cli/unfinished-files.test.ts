import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { removingAfter } from '../../src/cli/terminal/files.ts';
import { unfinishedFiles, unfinishedRestore } from '../../src/store/sqlite/backup.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const MODULE = JSON.stringify(import.meta.resolve('../../src/cli/terminal/files.ts'));

/** Two that are nested, as in a restore from a continuous backup. */
const NESTED = `import { mkdirSync, writeFileSync } from 'node:fs';
  const { removingAfter } = await import(${MODULE});
  await removingAfter(['outer', 'absent'], async () => {
    mkdirSync('outer');
    writeFileSync('outer/copy', 'everything');
    await removingAfter(['inner'], async () => {
      writeFileSync('inner', 'everything');
      console.log('working');
      setInterval(() => {}, 1000);
      await new Promise(() => {});
    });
  });`;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`a command that ${signal} ends leaves no copy behind`, async () => {
    const folder = temporaryFolder('unfinished');
    const command = spawn(process.execPath, ['--input-type=module', '--eval', NESTED], { cwd: folder });
    await once(command.stdout, 'data');
    assert.deepEqual(readdirSync(folder).sort(), ['inner', 'outer']);
    command.kill(signal);
    assert.deepEqual(await once(command, 'exit'), [128 + constants.signals[signal], null]);
    assert.deepEqual(readdirSync(folder), []);
  });
}

test('work that fails leaves no copy behind, and signals end the process as before', async () => {
  const folder = temporaryFolder('unfinished');
  const copy = join(folder, 'copy');
  const listeners = process.listenerCount('SIGINT');
  const work = async () => {
    mkdirSync(copy);
    writeFileSync(join(copy, 'file'), 'everything');
    throw new Error('damaged');
  };
  await assert.rejects(removingAfter([copy], work), /damaged/);
  assert.ok(!existsSync(copy));
  assert.equal(process.listenerCount('SIGINT'), listeners);
});

test('the names of unfinished copies never include the store or the finished copy', () => {
  for (const name of [...unfinishedFiles('a.db'), ...unfinishedRestore('a.db')])
    assert.match(name, /^a\.db\.(?:unfinished|restored|former)/);
});
