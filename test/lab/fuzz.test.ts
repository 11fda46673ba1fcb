// A few hundred mutants per test run; `npm run lab -- fuzz --mutations 200000 --processes 2` is the long run.
// Only in test:all: drill
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumOf } from '../../lab/fuzz/certificates/report.ts';
import { makeSeeds } from '../../lab/fuzz/certificates/seeds.ts';
import { readTree } from '../../lab/fuzz/certificates/tree.ts';
import { fuzzCertificates } from '../../lab/fuzz/certificates.ts';
import { split } from '../../lab/fuzz/range.ts';

test('every certificate that we accept and OpenSSL or GnuTLS refuses has an explanation', async () => {
  const { judged, compared, findings } = await fuzzCertificates({ mutations: 300, first: 1 });
  assert.equal(judged, 300);
  assert.ok(compared > 30);
  assert.deepEqual(
    Object.values(findings).filter(({ why, rule, clause }) => !why || !rule || !clause),
    [],
  );
});

test('an OCTET STRING that is DER on the outside only is not opened', () => {
  const der = Uint8Array.of(4, 4, 0x30, 2, 4, 0x80);
  const { children } = readTree(der);
  assert.equal(children, undefined);
  assert.deepEqual(readTree(Uint8Array.of(4, 4, 0x30, 2, 4, 0)).children?.[0]?.children?.[0]?.tag, 4);
});

test('a range can be run in parts, whose results add up', async () => {
  const parts = split({ first: 7, mutations: 41 }, 2);
  assert.deepEqual(parts, [
    { first: 7, mutations: 20 },
    { first: 27, mutations: 21 },
  ]);
  const seeds = makeSeeds();
  const whole = await fuzzCertificates({ first: 7, mutations: 41 }, seeds);
  const sum = sumOf(await Promise.all(parts.map((part) => fuzzCertificates(part, seeds))));
  assert.deepEqual([sum.judged, sum.accepted, sum.compared], [whole.judged, whole.accepted, whole.compared]);
  assert.equal(sum.times.length, 41);
});
