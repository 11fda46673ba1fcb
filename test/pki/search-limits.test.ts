// How long a path may be, and how long a verdict without revocation status counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Authority, makeAuthority } from '../authority.ts';
import { approve, CRL_REQUIRED, judge, NOW, verdict } from './approved.ts';

test('a path has 8 intermediates at most', () => {
  const root = makeAuthority({ name: 'Root' });
  const below = (count: number): Authority =>
    count === 0 ? root : below(count - 1).makeIntermediate({ name: `Level ${count}` });
  const issuers = [approve(root)];
  assert.equal(verdict({ chain: below(8).issue().chain, issuers }), 'accepted caller');
  assert.match(verdict({ chain: below(9).issue().chain, issuers }), /^certificate-issuer-not-approved/);
});

test('a certificate whose status is not known is judged again after a minute', () => {
  const root = makeAuthority({ name: 'Root' });
  const untilWith = (crls: Uint8Array[]) => {
    const issuers = [approve(root, { revocation: { ...CRL_REQUIRED, crl: 'if-available' } })];
    const { outcome } = judge({ chain: root.issue().chain, issuers, crls });
    return outcome.ok ? outcome.value.until - NOW : outcome.refusal.reason;
  };
  assert.equal(untilWith([]), 60);
  assert.ok(Number(untilWith([root.crl()])) > 60);
});
