// Honest chains that are long, old or ambiguous: the search finds the path that is valid now.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { AFTER_SIGNATURE, BEFORE_SIGNATURE, SAFETY } from '../../src/pki/path/search-budget.ts';
import { type Authority, makeAuthority } from '../authority.ts';
import { ecKeys } from '../signed-der.ts';
import { approve, judge, verdict } from './approved.ts';
import { times } from './corpus/pieces.ts';

const root = makeAuthority({ name: 'Root' });
const issuers = [approve(root)];
const EXPIRED = { notBefore: '2021-01-01', notAfter: '2022-01-01' };
const WITHOUT_IDENTIFIERS = ['subjectKeyIdentifier', 'authorityKeyIdentifier'] as const;

/** The same authority again, with the same name and key. */
function renewals(parent: Authority, name: string, expired: number): Authority[] {
  const keys = ecKeys();
  return [
    ...times(expired, () => parent.makeIntermediate({ name, keys, ...EXPIRED })),
    parent.makeIntermediate({ name, keys }),
  ];
}

suite('the search for a path', () => {
  for (const count of [8, 30]) {
    test(`finds the current intermediate behind ${count} expired ones with the same key`, () => {
      const all = renewals(root, 'Renewed', count);
      const leaf = all[0]?.issue().certificate ?? assert.fail();
      const chain = [leaf, ...all.map(({ certificate }) => certificate)];
      assert.equal(verdict({ chain, issuers }), 'accepted caller');
    });
  }

  test('finds the current ones among several renewals on each of two levels', () => {
    for (const expired of [2, 6, 14]) {
      const upper = renewals(root, 'Upper', expired);
      const lower = renewals(upper[0] ?? root, 'Lower', expired);
      const leaf = lower[0]?.issue().certificate ?? assert.fail();
      const chain = [leaf, ...[...lower, ...upper].map(({ certificate }) => certificate)];
      assert.equal(verdict({ chain, issuers }), 'accepted caller', `${expired} expired ones on each level`);
    }
  });

  test('tries further paths as long as there is time: nine that violate their constraints, then a good one', () => {
    const keys = ecKeys();
    const bad = times(9, () =>
      root.makeIntermediate({ name: 'Crossed', keys, usages: [], without: ['basicConstraints'] }),
    );
    const good = root.makeIntermediate({ name: 'Crossed', keys });
    const chain = [good.issue().certificate, ...bad.map(({ certificate }) => certificate), good.certificate];
    assert.equal(verdict({ chain, issuers }), 'accepted caller');
  });

  for (const count of [4, 8]) {
    test(`follows ${count} intermediates with P-521 keys`, () => {
      const top = makeAuthority({ name: 'Root', keys: ecKeys('P-521') });
      const lowest = times(count, (n) => n).reduce(
        (parent, n) => parent.makeIntermediate({ name: `Level ${n}`, keys: ecKeys('P-521') }),
        top,
      );
      assert.equal(verdict({ chain: lowest.issue().chain, issuers: [approve(top)] }), 'accepted caller');
    });
  }

  for (const count of [22, 30]) {
    test(`finds the right intermediate behind ${count} of the same name below an earlier root of the same name`, () => {
      const earlier = makeAuthority({ name: 'Root' });
      const wrong = times(count, () => earlier.makeIntermediate({ name: 'Twin', without: WITHOUT_IDENTIFIERS }));
      const right = root.makeIntermediate({ name: 'Twin', without: WITHOUT_IDENTIFIERS });
      const leaf = right.issue({ without: WITHOUT_IDENTIFIERS }).certificate;
      const chain = [leaf, ...wrong.map(({ certificate }) => certificate), right.certificate];
      assert.equal(verdict({ chain, issuers }), 'accepted caller');
    });
  }

  test('reports an expired intermediate if there is no other', () => {
    const [only = assert.fail()] = renewals(root, 'Renewed', 1);
    assert.equal(verdict({ chain: only.issue().chain, issuers }), 'certificate-expired: expired');
  });

  test('names the intermediate that cannot be parsed', () => {
    const broken = root.makeIntermediate({
      name: 'Broken',
      notAfterDer: Buffer.from('170b3439303130313030303030', 'hex'),
    });
    const { outcome, steps } = judge({ chain: broken.issue().chain, issuers });
    assert.equal(outcome.ok, false);
    assert.match(steps[0]?.words ?? '', /the intermediate CN=Broken cannot be parsed: a time does not have the format/);
  });

  test('is limited to the times that the documentation states', () => {
    const page = readFileSync(new URL('../../docs/certificates.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
    const [, before, after] = /about (\d+) ms to find a path, or (\d+) ms once/.exec(page) ?? [];
    const stated = [BEFORE_SIGNATURE, AFTER_SIGNATURE].map((budget) => `${budget / SAFETY / 1000}`);
    assert.deepEqual(stated, [before, after]);
  });
});
