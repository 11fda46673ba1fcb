import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { test } from 'node:test';
import { fileSystemFinding } from '../../src/cli/doctor/files.ts';

test('file systems without reliable locks or syncs are recognised by their type; local disks cause no warning', () => {
  const found = (type: number) => fileSystemFinding('x', type);
  assert.deepEqual(
    [found(0x6969)?.verdict, found(0x6969)?.says],
    ['bad', 'it is on NFS: locks and syncs may not work there'],
  );
  // Where the system gives the number with a sign.
  assert.equal(found(0xff534d42 | 0)?.verdict, 'bad');
  assert.equal(found(0x65735546)?.verdict, 'poor');
  assert.equal(found(0x01021994)?.verdict, 'poor');
  for (const local of [0xef53, 0x58465342, 0x9123683e, 0x794c7630]) assert.equal(found(local), undefined);
  assert.equal(typeof statfsSync(import.meta.dirname).type, 'number');
});
