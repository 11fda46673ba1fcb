// Only in test:all: drill
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockoutFindings } from '../../lab/chaos/lockout.ts';

test('lockout cannot be used against people: names, offices, user codes, stolen cookies', async () => {
  const findings = await lockoutFindings(20); // each failure takes the service 40 ms
  assert.ok(findings.length >= 10, 'every scenario ran');
  assert.deepEqual(
    findings.filter(({ held }) => !held),
    [],
  );
});
