// What is kept about authorities from one caller to the next must never change a verdict.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { makeAuthority } from '../authority.ts';
import { ecKeys } from '../signed-der.ts';
import { approve, judge, NOW, verdict } from './approved.ts';

const DAY = 86_400;
const NOT_APPROVED = 'certificate-issuer-not-approved: issuer-approved';
const later = (days: number) => epochSeconds(NOW + days * DAY);
const isoIn = (days: number) => new Date((NOW + days * DAY) * 1000).toISOString().replace('.000Z', 'Z');

const root = makeAuthority({ name: 'Root' });
const issuers = [approve(root)];

/** An intermediate that earlier callers have sent. */
function knownIntermediate(options: Parameters<typeof root.makeIntermediate>[0] = {}) {
  const between = root.makeIntermediate({ name: 'Between', ...options });
  for (const name of ['first', 'second', 'third']) {
    assert.equal(verdict({ chain: between.issue({ commonName: name }).chain, issuers }), `accepted ${name}`);
  }
  return between;
}

suite('an intermediate that earlier callers sent', () => {
  test('is refused once it has expired, and before it is valid', () => {
    const between = knownIntermediate({ notBefore: isoIn(-5), notAfter: isoIn(5) });
    const { chain } = between.issue();
    assert.equal(verdict({ chain, issuers, now: later(6) }), 'certificate-expired: expired');
    assert.equal(verdict({ chain, issuers, now: later(-6) }), 'certificate-not-yet-valid: not-yet-valid');
    assert.equal(verdict({ chain, issuers }), 'accepted caller');
  });

  test('is not accepted under another approved issuer of the same name', () => {
    const { chain } = knownIntermediate().issue();
    assert.equal(verdict({ chain, issuers: [approve(makeAuthority({ name: 'Root' }))] }), NOT_APPROVED);
    assert.equal(verdict({ chain, issuers: [] }), NOT_APPROVED);
  });

  test('is not mistaken for another one with the same signature octets', () => {
    const between = knownIntermediate();
    const [leaf = assert.fail(), sent = assert.fail()] = between.issue().chain;
    const altered = Buffer.from(sent);
    const at = altered.indexOf('Between');
    altered.write('between', at);
    assert.equal(verdict({ chain: [leaf, altered], issuers }), NOT_APPROVED);
    assert.equal(verdict({ chain: [leaf, sent], issuers }), 'accepted caller');
  });

  test('is not accepted if the octets that were kept are overwritten', () => {
    const between = root.makeIntermediate({ name: 'Between' });
    const [leaf = assert.fail(), sent = assert.fail()] = between.issue().chain;
    const buffer = Buffer.from(sent);
    for (let round = 0; round < 3; round++)
      assert.equal(verdict({ chain: [leaf, buffer], issuers }), 'accepted caller');
    buffer.write('between', buffer.indexOf('Between'));
    assert.equal(verdict({ chain: [leaf, buffer], issuers }), NOT_APPROVED);
    assert.equal(verdict({ chain: [leaf, sent], issuers }), 'accepted caller');
  });

  test('is judged by the settings of the approved issuer above it', () => {
    const between = knownIntermediate({ without: ['subjectKeyIdentifier'] });
    const { chain } = between.issue();
    const strict = [approve(root, { profile: 'strict' })];
    assert.equal(verdict({ chain, issuers: strict }), 'certificate-refused-by-policy: key-identifiers-consistent');
    assert.equal(verdict({ chain, issuers }), 'accepted caller');
    const curve = root.makeIntermediate({ name: 'Curve', keys: ecKeys('brainpoolP256r1') });
    const allowing = [approve(root, { curves: ['brainpoolP256r1'] })];
    for (let round = 0; round < 3; round++)
      assert.equal(verdict({ chain: curve.issue().chain, issuers: allowing }), 'accepted caller');
    assert.equal(verdict({ chain: curve.issue().chain, issuers }), 'certificate-refused-by-policy: key-curve');
  });

  test('has the same steps for every caller', () => {
    const between = root.makeIntermediate({ name: 'Between' });
    const [first, second] = [between.issue(), between.issue()].map(({ chain }) => judge({ chain, issuers }).steps);
    assert.deepEqual(first, second);
    assert.ok(first?.some(({ about, rule }) => about === 'intermediate CN=Between' && rule === 'authority-is-ca'));
  });

  test('is still subject to the limits of the search', () => {
    const between = knownIntermediate();
    const forger = makeAuthority({ name: 'Root' });
    const forged = Array.from({ length: 30 }, () => forger.makeIntermediate({ name: 'Between' }).certificate);
    const stranger = makeAuthority({ name: 'Between' }).issue().certificate;
    const { steps } = judge({ chain: [stranger, ...forged], issuers });
    assert.match(steps[0]?.words ?? '', /stopped at its limit/);
    assert.equal(verdict({ chain: between.issue().chain, issuers }), 'accepted caller');
  });
});
