// What certificates and their extensions may contain (RFC 5280 4).
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { contextTag, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { readCertificate, readOutline } from '../../src/pki/x509/certificate.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { extension } from '../signed-der.ts';
import { approve, verdict } from './approved.ts';

suite('DER in certificates', () => {
  const root = makeAuthority();
  const of = (options: Parameters<typeof root.issue>[0], profile: 'rfc5280' | 'strict' = 'rfc5280') =>
    verdict({ chain: root.issue(options).chain, issuers: [approve(root, { profile })] });
  const MALFORMED = 'certificate-refused-by-policy: extensions-well-formed';
  const policy = (oid: string, ...more: Uint8Array[]) => writeSequence(writeOid(oid), ...more);
  const policies = (...all: Uint8Array[]) => [extension(EXTENSION.certificatePolicies, writeSequence(...all))];

  test('a subtree has minimum 0, and no maximum (RFC 5280 4.2.1.10)', () => {
    const dns = write(contextTag(2, 'primitive'), Buffer.from('x.com'));
    const number = (tag: number, value: number) => write(contextTag(tag, 'primitive'), Uint8Array.of(value));
    const below = (...base: Uint8Array[]) => {
      const value = base.length > 0 ? writeSequence(writeContext(0, writeSequence(...base))) : writeSequence();
      const authority = makeAuthority({ extensions: [extension(EXTENSION.nameConstraints, value, true)] });
      return verdict({ chain: authority.issue({ dnsNames: ['x.com'] }).chain, issuers: [approve(authority)] });
    };
    for (const base of [[dns], [dns, number(0, 0)]]) assert.equal(below(...base), 'accepted caller');
    for (const base of [[dns, number(0, 1)], [dns, number(1, 1)], []]) assert.equal(below(...base), MALFORMED);
  });

  test('a serial number of the issuer is an integer, and policy constraints are not empty', () => {
    const identifier = (...fields: Uint8Array[]) => ({
      without: ['authorityKeyIdentifier' as const],
      extensions: [extension(EXTENSION.authorityKeyIdentifier, writeSequence(...fields))],
    });
    const serial = (...octets: number[]) => write(contextTag(2, 'primitive'), Uint8Array.from(octets));
    assert.equal(of(identifier(serial(1))), 'accepted caller');
    assert.equal(of(identifier(serial(0, 1))), MALFORMED);
    assert.equal(of({ extensions: [extension(EXTENSION.policyConstraints, writeSequence(), true)] }), MALFORMED);
  });

  test('a GeneralizedTime is accepted before 2050 too, as by other programs, except by profile strict (RFC 5280 4.1.2.5)', () => {
    const until = (text: string) => ({ notAfterDer: write(TAG.generalizedTime, Buffer.from(text)) });
    const strict = (text: string) =>
      verdict({ chain: root.issue(until(text)).chain, issuers: [approve(root, { profile: 'strict' })] });
    for (const year of ['2049', '2050']) assert.equal(of(until(`${year}1231235959Z`)), 'accepted caller');
    assert.equal(strict('20500101000000Z'), 'accepted caller');
    assert.equal(strict('20491231235959Z'), 'certificate-refused-by-policy: dates-encoded');
    assert.equal(of(until('20251231235959Z')), 'certificate-expired: expired');
  });

  test('a list in an extension is not empty (RFC 5280 4.2)', () => {
    for (const name of [
      'subjectAltName',
      'extendedKeyUsage',
      'certificatePolicies',
      'crlDistributionPoints',
    ] as const) {
      const options = { extensions: [extension(EXTENSION[name], writeSequence())] };
      assert.equal(of({ ...options, without: [name] }), MALFORMED, name);
    }
  });

  test('a policy has an identifier and qualifiers, and nothing else (RFC 5280 4.2.1.4)', () => {
    const qualifier = writeSequence(writeOid('1.3.6.1.5.5.7.2.1'), write(TAG.ia5, Buffer.from('https://x')));
    assert.equal(of({ extensions: policies(policy('1.2.3', writeSequence(qualifier))) }), 'accepted caller');
    for (const more of [[write(TAG.null)], [writeSequence()], [writeSequence(qualifier), write(TAG.null)]]) {
      assert.equal(of({ extensions: policies(policy('1.2.3', ...more)) }), MALFORMED);
    }
  });

  test('an empty directoryName is refused by profile strict (RFC 5280 4.2.1.6)', () => {
    const empty = { alternativeNames: [write(contextTag(4, 'constructed'), writeSequence())] };
    assert.equal(of(empty, 'strict'), 'certificate-refused-by-policy: alternative-names-well-formed');
    assert.equal(of(empty), 'accepted caller');
  });

  test('a certificate of more than 64 KiB is not parsed', () => {
    const filled = (octets: number) => ({ extensions: [extension('1.2.3', Buffer.alloc(octets))] });
    assert.equal(of(filled(60_000)), 'accepted caller');
    assert.equal(of(filled(66_000)), 'certificate-unreadable: readable');
    assert.throws(() => readOutline(Buffer.alloc(65_537)), /larger than 65536 octets/);
    assert.throws(() => readOutline(Buffer.alloc(65_536)), /bytes follow the element/);
  });

  test('a certificate has at most 64 extensions', () => {
    const before = readCertificate(root.issue().certificate);
    const own = before.ok ? before.value.extensions.length : assert.fail();
    const more = (count: number) => ({
      extensions: Array.from({ length: count - own }, (_, n) => extension(`1.2.3.${n}`, Buffer.alloc(0))),
    });
    assert.equal(of(more(64)), 'accepted caller');
    assert.equal(of(more(65)), 'certificate-unreadable: readable');
  });
});
