import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { CHECK_STEPS, refusalLines, verdictLines } from '../../src/cli/commands/work/check-steps.ts';
import { linesOfRequest } from '../../src/cli/commands/work/explain.ts';
import { PERSON_REASONS, REFUSAL_REASONS } from '../../src/core/refusal.ts';
import { AUTHSVC_REASONS } from '../../src/doors/authsvc/wording.ts';
import { TRANSPORT_REASONS } from '../../src/doors/http/transport-refusal.ts';
import { OAUTH_REASONS } from '../../src/doors/oauth/wording.ts';

const TRANSCRIPT = 'test/cli/explained.txt';
const TO_CALLERS: readonly string[] = [...TRANSPORT_REASONS, ...REFUSAL_REASONS, ...AUTHSVC_REASONS, ...OAUTH_REASONS];

/** One example of every refusal: the first operation that can end in it. */
function explained(refusal: string): string {
  const [operation = ''] =
    Object.entries(CHECK_STEPS).find(([, steps]) => steps.some(({ refusals }) => refusals.includes(refusal))) ?? [];
  return [`== ${refusal} (${operation})`, ...verdictLines(CHECK_STEPS[operation] ?? [], refusal), ''].join('\n');
}

test('every refusal that callers get belongs to a check of an operation', () => {
  const known = new Set(Object.values(CHECK_STEPS).flatMap((steps) => steps.flatMap(({ refusals }) => refusals)));
  assert.deepEqual([...known].sort(), TO_CALLERS.toSorted());
});

test('every refusal is explained in the words of docs/errors.md', () => {
  for (const refusal of [...TO_CALLERS, ...PERSON_REASONS]) {
    const [, words = ''] = refusalLines(refusal) ?? [];
    assert.match(words, /^ {2}[A-Za-z].*\.$/, refusal);
    assert.doesNotMatch(words, /in docs\/errors\.md/, refusal);
  }
});

// To write it anew: UPDATE_TRANSCRIPT=1 npm test -- test/cli/explained.test.ts
test(`${TRANSCRIPT} has the explanation of every refusal`, () => {
  const actual = TO_CALLERS.map(explained).join('\n');
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
