import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logRefusals } from '../../src/compose/log-notices.ts';
import { makeLog } from '../../src/log/log.ts';
import { printStep } from '../../src/pki/judge/explain.ts';

test('a flood of refused certificates logs the rule of each, and the steps of fifty, then of one a second', () => {
  const lines: string[] = [];
  let now = 0;
  const milliseconds = () => now;
  const log = makeLog({
    level: 'info',
    format: 'json',
    milliseconds,
    destination: { write: (line) => lines.push(line) },
  });
  const logRefusal = logRefusals(log, milliseconds, 'certificate refused', printStep);
  const step = { rule: 'expired', passed: false, about: 'leaf', words: '', reason: 'certificate-expired' } as const;
  const refuse = () => logRefusal('r1', [{ ...step, rule: 'one', passed: true }, step], {});
  const detailed = () => lines.filter((line) => line.includes('FAIL expired')).length;
  for (let count = 0; count < 80; count += 1) refuse();
  assert.equal(detailed(), 50);
  now += 1_000;
  refuse();
  refuse();
  assert.equal(detailed(), 51);
  assert.equal(lines.filter((line) => line.includes('"rule":"expired"')).length, 82);
  for (let count = 0; count < 1_000; count += 1) refuse();
  assert.equal(lines.length, 82 + 599, 'further ones are for debugging only');
});
