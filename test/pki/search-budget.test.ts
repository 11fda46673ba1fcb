// The estimated microseconds that a path search may spend, and what its steps cost.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { PathSearch } from '../../src/pki/path/search.ts';
import {
  foldCost,
  nameCost,
  parseCost,
  SearchBudget,
  signatureCost,
  signerBudget,
  stepCost,
} from '../../src/pki/path/search-budget.ts';
import { Candidate } from '../../src/pki/x509/candidate.ts';
import { readCertificate } from '../../src/pki/x509/certificate.ts';
import type { PublicKeyFacts } from '../../src/pki/x509/public-key.ts';
import { makeAuthority } from '../authority.ts';
import { NOW } from './approved.ts';

const keyOf = (facts: Partial<PublicKeyFacts>): PublicKeyFacts => ({ spki: new Uint8Array(), family: 'rsa', ...facts });

suite('a search budget', () => {
  test('is spent to the last microsecond; what exceeds it is not spent', () => {
    const budget = new SearchBudget(10, 20);
    assert.deepEqual([budget.spend(4), budget.spend(7), budget.isExhausted], [true, false, true]);
    assert.deepEqual([budget.spend(6), budget.spend(1)], [true, false]);
    assert.equal(new SearchBudget(10).isExhausted, false);
  });

  test('is extended up to its maximum', () => {
    const budget = new SearchBudget(10, 20);
    budget.extend(5);
    assert.deepEqual([budget.spend(15), budget.spend(1)], [true, false]);
    budget.extend(100);
    assert.deepEqual([budget.spend(5), budget.spend(1)], [true, false]);
    const most = new SearchBudget(10, 20);
    most.extend(Number.POSITIVE_INFINITY);
    assert.deepEqual([most.spend(20), most.spend(1)], [true, false]);
  });

  test('is charged for what is done in any case', () => {
    const budget = new SearchBudget(10, 20);
    budget.charge(15);
    assert.equal(budget.isExhausted, false);
    assert.equal(budget.spend(1), false);
    budget.extend(6);
    assert.equal(budget.spend(1), true);
  });

  test('always allows the first check with each of two keys, which count, too', () => {
    const budget = new SearchBudget(10, 100);
    const [one, two, three] = [keyOf({}), keyOf({}), keyOf({})];
    assert.deepEqual([budget.spendOnCheck(one, 8), budget.spendOnCheck(one, 8)], [true, false]);
    assert.deepEqual([budget.spendOnCheck(one, 2), budget.spendOnCheck(two, 50)], [true, true]);
    assert.equal(budget.spendOnCheck(three, 1), false);
    budget.extend(51);
    assert.deepEqual([budget.spendOnCheck(three, 1), budget.spend(1)], [true, false]);
  });

  test('of the signers of lists does not grow', () => {
    const budget = signerBudget();
    budget.extend(1_000);
    assert.deepEqual([budget.spend(8_000), budget.spend(1)], [true, false]);
  });
});

test('the cost of a signature check depends on the key, the octets, and whether the key is known', () => {
  const costOf = (facts: Partial<PublicKeyFacts>) => signatureCost(keyOf(facts), 0, true);
  assert.deepEqual(
    ['P-256', 'P-384', 'P-521', 'brainpoolP256r1'].map((curve) => costOf({ family: 'ec', curve })),
    [135, 1_400, 3_100, 2_000],
  );
  const families = ['ed25519', 'ed448', 'ml-dsa-44', 'ml-dsa-65', 'ml-dsa-87'] as const;
  assert.deepEqual(
    families.map((family) => costOf({ family })),
    [210, 420, 320, 470, 680],
  );
  assert.deepEqual(
    [undefined, 2048, 4096].map((bits) => costOf(bits ? { bits } : {})),
    [58, 58, 142],
    'the square of the modulus',
  );
  assert.equal(signatureCost(keyOf({}), 1_000, true), 62);
  assert.equal(signatureCost(keyOf({}), 1_000, false), 182);
});

test('further costs', () => {
  assert.deepEqual([stepCost(3, 16), nameCost(30), foldCost(4), parseCost(40)], [7, 10, 10, 10]);
});

test('a presented name is parsed and prepared once, at its price', () => {
  const [presented, trusted] = ['Wörk', 'WÖRK'].map((name) => makeAuthority({ name }).certificate);
  const trustedOne = readCertificate(trusted as Uint8Array);
  assert.ok(trustedOne.ok);
  const candidate = new Candidate(presented as Uint8Array);
  assert.equal(candidate.subject.whole.length, 18);
  for (const [limit, expected] of [
    [15, false],
    [16, true], // 18 / 3 for its octets, 4 * 2.5 for its characters
  ] as const) {
    const search = new PathSearch([], [], NOW, 8, new SearchBudget(limit, limit));
    for (let time = 0; time < 3; time++) assert.equal(search.hasSubject(candidate, trustedOne.value.subject), expected);
  }
});
