import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeNewFile } from '../../src/cli/terminal/files.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('a file gets the requested mode, whatever the umask', (t) => {
  const folder = temporaryFolder('modes');
  const umask = process.umask();
  t.after(() => {
    process.umask(umask);
    rmSync(folder, { recursive: true });
  });
  for (const mask of [0o000, 0o022, 0o077, 0o277]) {
    process.umask(mask);
    for (const mode of [0o600, 0o644]) {
      const path = join(folder, `${mask}-${mode}`);
      writeNewFile(path, 'text', mode);
      assert.equal(statSync(path).mode & 0o777, mode, `umask ${mask.toString(8)}`);
      assert.equal(readFileSync(path, 'utf8'), 'text');
    }
  }
});

test('an existing file is left unchanged', (t) => {
  const folder = temporaryFolder('modes');
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'file');
  writeNewFile(path, 'first', 0o600);
  assert.throws(() => writeNewFile(path, 'second', 0o600), { code: 'EEXIST' });
  assert.equal(readFileSync(path, 'utf8'), 'first');
});
