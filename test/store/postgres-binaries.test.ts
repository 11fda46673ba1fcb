import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { test } from 'node:test';
import { installBinaries } from './postgres-server.ts';

test('the kept copy of PostgreSQL does not depend on the checkout that made it', () => {
  const entries = readdirSync(dirname(installBinaries()), { recursive: true, withFileTypes: true });
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ parentPath, name }) => join(parentPath, name));
  assert.ok(links.length > 0);
  assert.deepEqual(
    links.filter((path) => isAbsolute(readlinkSync(path))),
    [],
  );
});
