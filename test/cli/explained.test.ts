import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { refusalLines, verdictLines } from '../../src/cli/commands/work/check-steps.ts';
import { linesOfRequest } from '../../src/cli/commands/work/explain.ts';
import { type CallerReason, DECLARED, TO_CALLERS } from '../../src/core/refusal.ts';
import { reasonsOf } from '../../src/core/refusals/declaration.ts';
import { CHECK_STEPS } from '../../src/core/rules/order.ts';

const TRANSCRIPT = 'test/cli/explained.txt';
const CALLER_REASONS = reasonsOf(TO_CALLERS);

/** One example of every refusal: the first operation that can end in it. */
function explained(refusal: CallerReason): string {
  const [operation = ''] =
    Object.entries(CHECK_STEPS).find(([, steps]) => steps.some(({ refusals }) => refusals.includes(refusal))) ?? [];
  return [`== ${refusal} (${operation})`, ...verdictLines(CHECK_STEPS[operation] ?? [], refusal), ''].join('\n');
}

test('every refusal that callers get belongs to a check of an operation', () => {
  const known = new Set(Object.values(CHECK_STEPS).flatMap((steps) => steps.flatMap(({ refusals }) => refusals)));
  assert.deepEqual([...known].sort(), CALLER_REASONS.toSorted());
});

test('every refusal is explained, also where docs/errors.md is not installed', () => {
  for (const refusal of reasonsOf(DECLARED)) {
    const [, words = ''] = refusalLines(refusal) ?? [];
    assert.match(words, /^ {2}[A-Za-z].*\.$/, refusal);
  }
});

// To write it anew: UPDATE_TRANSCRIPT=1 npm test -- test/cli/explained.test.ts
test(`${TRANSCRIPT} has the explanation of every refusal`, () => {
  const actual = CALLER_REASONS.map(explained).join('\n');
  if (process.env['UPDATE_TRANSCRIPT']) writeFileSync(TRANSCRIPT, actual);
  assert.equal(actual, readFileSync(TRANSCRIPT, 'utf8'));
});

test('a request is found among other lines, with what other lines say about it', () => {
  const log = [
    'not JSON, but with the id r1',
    '{"id":"r2","msg":"request"}',
    '{"id":"r1","msg":"certificate refused","rule":"expired","steps":["one","two"]}',
    '{"id":"r1","operation":"verify","outcome":"refused","reason":"grant-revoked","msg":"request"}',
  ].join('\n');
  const { request, details } = linesOfRequest('r1', log);
  assert.equal(request?.['reason'], 'grant-revoked');
  assert.deepEqual(details, ['certificate refused:', '  rule: expired', '  steps:\n    one\n    two']);
  assert.equal(linesOfRequest('r3', log).request, undefined);
  const pretty = '12:00:00.000 info  request  id=r4 operation=verify outcome=refused reason=grant-revoked status=401';
  assert.equal(linesOfRequest('r4', pretty).request?.['reason'], 'grant-revoked');
});
