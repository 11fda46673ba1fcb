import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

test('processes that open a new database at the same moment wait for each other, and none faults', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-opening-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const args = [join(import.meta.dirname, 'opener.ts'), folder, String(Date.now() + 1500), '100'];
  const openers = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, args));
  const faults = (await Promise.all(openers)).map(({ stdout }) => stdout.trim());
  assert.deepEqual(faults, ['0', '0', '0', '0']);
});
