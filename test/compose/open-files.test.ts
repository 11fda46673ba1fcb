import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { connectionsWithin, openFilesLimit } from '../../src/compose/parts.ts';

test('listeners share the open files that the store leaves', () => {
  assert.equal(connectionsWithin(10_000, 1_048_576, 3), 10_000);
  assert.equal(connectionsWithin(10_000, 4096, 2), 1984);
  assert.equal(connectionsWithin(10_000, 100, 1), 8, 'a few in any case');
});

test('the limit is that of the process, or none where it is not known', async () => {
  const program = `import { openFilesLimit } from '${new URL('../../src/compose/parts.ts', import.meta.url)}'; console.log(openFilesLimit())`;
  const limited = `ulimit -n 300 && exec "$0" --input-type=module-typescript --eval "$1"`;
  const child = spawn('/bin/sh', ['-c', limited, process.execPath, program]);
  assert.equal((await child.stdout.toArray()).join(''), '300\n');
  const unlimited = 'Max open files            unlimited            unlimited            files     \n';
  assert.equal(
    openFilesLimit(() => unlimited),
    Number.POSITIVE_INFINITY,
  );
  assert.equal(
    openFilesLimit(() => {
      throw new Error('no such file');
    }),
    Number.POSITIVE_INFINITY,
  );
});
