// How long a path may be, and how long a verdict without revocation status counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeCertificate } from '../../src/pki/judge/judge.ts';
import { type Authority, makeAuthority } from '../authority.ts';
import { approve, CRL_REQUIRED, judge, NOW } from './approved.ts';

test('authorities with the name of their issuer do not count, but 15 certificates end every path', () => {
  const root = makeAuthority({ name: 'Root' });
  const below = (parent: Authority, names: readonly string[]) =>
    names.reduce((above, name) => above.makeIntermediate({ name }), parent);
  const eight = Array.from({ length: 8 }, (_, n) => `Level ${n}`);
  const verdictOf = (authority: Authority, mostIntermediates?: number) => {
    const evidence = { lists: [], responses: [] };
    const limit = mostIntermediates === undefined ? {} : { mostIntermediates };
    const { chain } = authority.issue();
    return judgeCertificate({ chain, issuers: [approve(root)], evidence, now: NOW, ...limit }).outcome.ok;
  };
  assert.equal(verdictOf(below(root, [...eight, 'Level 7'])), true);
  assert.equal(verdictOf(below(root, ['Root', 'Root', ...eight])), true);
  assert.equal(verdictOf(below(root, [...eight, 'Level 7', 'Level 8'])), false);
  assert.equal(verdictOf(below(root, Array(15).fill('Root'))), true);
  assert.equal(verdictOf(below(root, Array(16).fill('Root'))), false);
  const [one, two] = [below(root, ['A']), below(root, ['A', 'B'])];
  assert.deepEqual(
    [verdictOf(one, 1), verdictOf(two, 1), verdictOf(two, 2), verdictOf(root, 0)],
    [true, false, true, true],
  );
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
