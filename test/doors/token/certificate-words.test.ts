import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '../../../src/core/time.ts';
import { wordsOfRule } from '../../../src/doors/token/certificate-words.ts';
import { describe } from '../../../src/doors/token/descriptions.ts';
import { RULES } from '../../../src/pki/path/rules.ts';
import { makeAuthority } from '../../authority.ts';
import { approve, judge } from '../../pki/approved.ts';

test('every rule that means "refused by policy" has general words for the caller', () => {
  const authority = makeAuthority();
  const { chain } = authority.issue({ commonName: 'ada' });
  const { steps } = judge({ chain, issuers: [approve(authority)] });
  const judged = steps.filter(({ reason }) => reason === 'certificate-refused-by-policy').map(({ rule }) => rule);
  assert.ok(judged.includes('path-length') && judged.length > 20, judged.join());
  const rules = [...RULES.flatMap(({ rule, reason }) => (reason ? [] : [rule])), ...judged, 'bounded-work'];
  assert.deepEqual(
    rules.filter((rule) => wordsOfRule(rule) === undefined),
    [],
  );
});

test('the words follow the policy sentence; an unknown rule adds nothing', () => {
  const reason = 'certificate-refused-by-policy';
  assert.equal(
    describe({ reason, rule: 'client-usage' }),
    'The client certificate does not meet the policy of its issuer: its extended key usage does not allow client authentication.',
  );
  for (const rule of ['no-such-rule', 'constructor']) {
    assert.equal(describe({ reason, rule }), 'The client certificate does not meet the policy of its issuer.');
  }
});

test('who can ask again is told when, if that is known', () => {
  const [retryAfter, pending] = [seconds(5), 'The browser confirmation is missing.'];
  assert.equal(describe({ reason: 'authorization-pending', retryAfter }), `${pending} Ask again in 5 seconds.`);
  assert.equal(describe({ reason: 'authorization-pending' }), pending);
  assert.equal(describe({ reason: 'scope-missing', retryAfter }), 'scope is missing.');
  assert.match(describe({ reason: 'overloaded', retryAfter }), /^The service is overloaded\./);
});
