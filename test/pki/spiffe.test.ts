// SPIFFE IDs as identities (X.509-SVID).
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readSpiffeId } from '../../src/core/certificate.ts';
import { makeAuthority } from '../authority.ts';
import { approve, verdict } from './approved.ts';
import { keyUsage, uri } from './corpus/pieces.ts';

const root = makeAuthority();
const settings = { identitySources: ['spiffe-id'], trustDomains: ['prod.example', 'edge.example'] } as const;
const issuers = [approve(root, settings)];
const of = (...uris: string[]) => verdict({ chain: root.issue({ alternativeNames: uris.map(uri) }).chain, issuers });
const OTHER_DOMAIN = 'certificate-refused-by-policy: spiffe-trust-domain';
const MALFORMED = 'certificate-name-malformed: spiffe-id';

suite('a SPIFFE ID', () => {
  test('identifies the caller, whole and as it is', () => {
    for (const id of ['spiffe://prod.example/ns/shop/sa/Orders', 'spiffe://edge.example/a'])
      assert.equal(of(id), `accepted ${id}`);
    const long = `spiffe://prod.example/${'a'.repeat(2048 - 22)}`;
    assert.equal(of(long), `accepted ${long}`);
  });

  test('of a trust domain that the issuer does not have is refused', () => {
    for (const id of ['spiffe://other.example/a', 'spiffe://prod.example.evil/a', 'spiffe://sub.prod.example/a'])
      assert.equal(of(id), OTHER_DOMAIN, id);
    const { trustDomains: _, ...without } = settings;
    const { chain } = root.issue({ alternativeNames: [uri('spiffe://prod.example/a')] });
    assert.equal(verdict({ chain, issuers: [approve(root, without)] }), OTHER_DOMAIN);
  });

  test('of another trust domain in an intermediate is refused', () => {
    const ca = (id: string) => root.makeIntermediate({ alternativeNames: [uri(id)] });
    const below = (id: string) =>
      verdict({ chain: ca(id).issue({ alternativeNames: [uri('spiffe://prod.example/a')] }).chain, issuers });
    assert.equal(below('spiffe://prod.example'), 'accepted spiffe://prod.example/a');
    assert.equal(below('spiffe://edge.example'), 'accepted spiffe://prod.example/a', 'another that is allowed');
    assert.equal(below('spiffe://other.example'), OTHER_DOMAIN);
    assert.equal(below('spiffe://prod.example/ca'), OTHER_DOMAIN, 'an authority has no path (X.509-SVID 3.2)');
  });

  test('of a leaf that may sign revocation lists is refused (X.509-SVID 5.2)', () => {
    const { chain } = root.issue({
      alternativeNames: [uri('spiffe://prod.example/a')],
      extensions: [keyUsage(1, 0x82)],
    });
    assert.equal(verdict({ chain, issuers }), 'certificate-refused-by-policy: leaf-signs-no-lists');
    assert.equal(verdict({ chain, issuers: [approve(root)] }), 'accepted caller', 'other issuers do not mind');
  });

  test('beside another URI is refused, in whatever order', () => {
    const [a, b] = ['spiffe://prod.example/a', 'https://prod.example/a'];
    for (const uris of [
      [a, b],
      [b, a],
      [a, 'spiffe://prod.example/b'],
      [a, a],
    ])
      assert.equal(of(...uris), OTHER_DOMAIN);
  });

  test('that is malformed is refused', () => {
    for (const id of ['spiffe://prod.example', 'spiffe://prod.example/..x/..', 'spiffe://prod.example/a/./b'])
      assert.match(of(id), /spiffe/, id);
    assert.equal(of('spiffe://prod.example'), MALFORMED, 'without a path');
    for (const id of [
      'SPIFFE://prod.example/a',
      'spiffe://Prod.example/a',
      'spiffe://prod.example/a/',
      'spiffe://prod.example//a',
      'spiffe://prod.example:443/a',
      'spiffe://user@prod.example/a',
      'spiffe://prod.example/a?b',
      'spiffe://prod.example/a#b',
      'spiffe://prod.example/%61',
      'spiffe:///a',
      `spiffe://prod.example/${'a'.repeat(2048)}`,
    ]) {
      assert.equal(readSpiffeId(id), undefined, id);
      assert.equal(of(id), OTHER_DOMAIN, id);
    }
  });

  test('is missing if no URI is one; another source may follow', () => {
    assert.equal(of('https://prod.example/a'), 'certificate-name-missing: spiffe-id');
    const both = [approve(root, { ...settings, identitySources: ['spiffe-id', 'common-name'] })];
    const { chain } = root.issue({ alternativeNames: [uri('https://prod.example/a')] });
    assert.equal(verdict({ chain, issuers: both }), 'accepted caller');
  });

  test('means nothing to an issuer that does not use it', () => {
    const { chain } = root.issue({ alternativeNames: [uri('spiffe://other.example/a'), uri('https://b')] });
    assert.equal(verdict({ chain, issuers: [approve(root)] }), 'accepted caller');
  });
});
