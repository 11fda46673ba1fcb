// What the step of a failed rule says, and certificates that only just keep or break a rule.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { contextTag, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type Authority, type CertificateOptions, makeAuthority } from '../authority.ts';
import { ecKeys, extension, integer, keyIdentifier, rsaKeys, utf8 } from '../signed-der.ts';
import { approve, judge } from './approved.ts';
import { dns, uri } from './corpus/pieces.ts';
import { rsaSpki, spkiOf } from './keys.ts';

const root = makeAuthority({ name: 'Root' });
const usage = (bits: number) => extension(EXTENSION.keyUsage, write(TAG.bitString, Uint8Array.of(0, bits)), true);
const five = integer(Uint8Array.of(5));

function stepsOf(
  leaf: CertificateOptions,
  settings: Partial<ApprovedIssuer> = {},
  by = root,
  approved: Authority = by,
) {
  return judge({ chain: by.issue(leaf).chain, issuers: [approve(approved, settings)] }).steps;
}

function broken(...question: Parameters<typeof stepsOf>): string[] {
  return [...new Set(stepsOf(...question).flatMap(({ passed, rule }) => (passed ? [] : [rule])))];
}

const qualified = writeSequence(
  writeSequence(writeOid('1.2.3'), writeSequence(writeSequence(writeOid('1.2.3.4'), utf8('text')))),
);
const unknown = ['1.2.3.4', '1.2.3.5'].map((oid) => extension(oid, writeSequence(), true));

const FOUND: Readonly<Record<string, readonly [leaf: CertificateOptions, found: string, reason?: string]>> = {
  'extensions-well-formed': [
    { extensions: [extension(EXTENSION.subjectAltName, Buffer.from('text'))] },
    'unreadable: subjectAltName',
  ],
  'critical-extensions-known': [{ extensions: unknown }, 'unknown: 1.2.3.4, 1.2.3.5'],
  'extension-criticality': [
    { extensions: [extension(EXTENSION.subjectKeyIdentifier, write(TAG.octetString), true)] },
    'critical: 2.5.29.14',
  ],
  'policy-qualifiers-known': [
    { extensions: [extension(EXTENSION.certificatePolicies, qualified, true)] },
    'unknown: 1.2.3.4',
  ],
  'signature-algorithm-strong': [{ digest: 'sha1' }, 'ECDSA with sha1'],
  'not-yet-valid': [{ notBefore: '2030-01-01' }, 'valid from 2030-01-01T00:00:00Z', 'certificate-not-yet-valid'],
  expired: [{ notAfter: '2025-01-01' }, 'valid until 2025-01-01T00:00:00Z', 'certificate-expired'],
  'serial-number': [{ serial: Uint8Array.of(0) }, '0x00'],
  'key-strong': [{ keys: rsaKeys(1024) }, 'RSA 1024 bits'],
  'key-curve': [{ keys: ecKeys('secp256k1') }, 'EC 1.3.132.0.10'],
  'key-well-formed': [{ spki: rsaSpki({ exponent: Uint8Array.of(1) }) }, 'the exponent is even or less than 3'],
  'client-usage': [{ usages: ['1.3.6.1.5.5.7.3.1'] }, 'allows 1.3.6.1.5.5.7.3.1'],
};

suite('the step of a failed rule', () => {
  for (const [rule, [leaf, found, reason = 'certificate-refused-by-policy']] of Object.entries(FOUND)) {
    test(`says what was found: ${rule}`, () => {
      const [good, bad] = [{}, leaf].map((options) => stepsOf(options).findLast((step) => step.rule === rule));
      assert.deepEqual([good?.passed, bad?.passed], [true, false]);
      assert.deepEqual([bad?.words, bad?.reason], [`${good?.words}: ${found}`, reason]);
    });
  }

  test('of profile strict says what was found, too', () => {
    const policy = extension(EXTENSION.inhibitAnyPolicy, five);
    const by = makeAuthority({ extensions: [policy] });
    const wordsOf = (rule: string, leaf: CertificateOptions, authority = root) =>
      stepsOf(leaf, { profile: 'strict' }, authority).find((step) => step.rule === rule && !step.passed)?.words;
    assert.match(wordsOf('constraints-critical', {}, by) ?? '', /: not critical: 2\.5\.29\.54$/);
    assert.match(wordsOf('leaf-version', { version: 1 }) ?? '', /: version 1$/);
    assert.match(wordsOf('key-kind', { keys: rsaKeys(2052) }) ?? '', /: RSA 2052 bits$/);
  });
});

suite('a rule is kept or broken at its limit', () => {
  test('serial numbers', () => {
    for (const serial of [Uint8Array.of(1), Uint8Array.of(0x7f), Uint8Array.of(0, 0x80), Buffer.alloc(20, 1)])
      assert.deepEqual(broken({ serial }), []);
    for (const serial of [Buffer.alloc(21, 1), Uint8Array.of(0x80, 1), Uint8Array.of(0)])
      assert.deepEqual(broken({ serial }), ['serial-number']);
  });

  test('the first and the last second', () => {
    const between = (notBefore: string, notAfter: string) => broken({ notBefore, notAfter });
    assert.deepEqual(between('2026-11-15T12:00:00Z', '2026-11-15T12:00:00Z'), []);
    assert.deepEqual(between('2026-11-15T12:00:01Z', '2026-11-16'), ['not-yet-valid']);
    assert.deepEqual(between('2026-11-14', '2026-11-15T11:59:59Z'), ['expired']);
  });

  test('qualifiers of policies: unknown ones may be in an extension that is not critical', () => {
    const policies = (critical: boolean) => [extension(EXTENSION.certificatePolicies, qualified, critical)];
    assert.deepEqual(broken({ extensions: policies(false) }), []);
    assert.deepEqual(broken({ extensions: policies(true) }), ['policy-qualifiers-known']);
  });

  test('critical extensions: those of lists are unknown in certificates, those that help to find others must not be critical', () => {
    for (const oid of [EXTENSION.crlNumber, EXTENSION.deltaCrlIndicator, EXTENSION.issuingDistributionPoint])
      assert.deepEqual(broken({ extensions: [extension(oid, five, true)] }), ['critical-extensions-known']);
    const access = writeSequence(writeSequence(writeOid('1.3.6.1.5.5.7.48.1'), uri('http://x')));
    const isCritical = (critical: boolean) => ({
      extensions: [extension(EXTENSION.authorityInfoAccess, access, critical)],
    });
    assert.deepEqual(
      [true, false].map((critical) => broken(isCritical(critical))),
      [['extension-criticality'], []],
    );
  });

  test('keys', () => {
    for (const bits of [2048, 2056]) assert.deepEqual(broken({ keys: rsaKeys(bits) }, { profile: 'strict' }), []);
    assert.deepEqual(broken({ keys: rsaKeys(2040) }), ['key-strong']);
    const mlDsa = { spki: spkiOf([writeOid('2.16.840.1.101.3.4.3.17')], Buffer.alloc(1312, 1)) };
    assert.deepEqual(broken(mlDsa, { mlDsa: true }), []);
    assert.deepEqual(broken(mlDsa), ['key-strong']);
    assert.equal(stepsOf(mlDsa).find(({ passed }) => !passed)?.setting, 'mlDsa: false');
  });

  test('key usages', () => {
    for (const bits of [0x80, 0x08, 0xa0]) assert.deepEqual(broken({ extensions: [usage(bits)] }), []);
    assert.deepEqual(broken({ without: ['keyUsage'] }), []);
    assert.deepEqual(broken({ extensions: [usage(0x82)] }), [], 'lists, where no SPIFFE IDs are used');
    assert.deepEqual(broken({ extensions: [usage(0x84)] }), ['leaf-signs-no-certificates']);
    const open = makeAuthority({ without: ['keyUsage'] });
    assert.deepEqual(broken({}, {}, open), []);
  });

  test('extended key usages', () => {
    const [client, any, server] = ['1.3.6.1.5.5.7.3.2', '2.5.29.37.0', '1.3.6.1.5.5.7.3.1'];
    for (const usages of [[client], [server, client], [any]]) assert.deepEqual(broken({ usages }), []);
    const strict = { profile: 'strict' } as const;
    assert.deepEqual(broken({ usages: [server, client] }, strict), []);
    assert.deepEqual(broken({ usages: [client, any] }, strict), ['client-usage-explicit']);
    const critical = extension(EXTENSION.extendedKeyUsage, writeSequence(writeOid(client)), true);
    assert.deepEqual(broken({ extensions: [critical] }, strict), ['client-usage-explicit']);
  });

  test('subjects: a leaf may have alternative names instead, an authority may not', () => {
    const names = (critical: boolean) => ({
      subject: writeSequence(),
      without: ['subjectAltName'] as const,
      extensions: [extension(EXTENSION.subjectAltName, writeSequence(dns('x.com')), critical)],
    });
    assert.deepEqual(broken(names(true)), ['identity']);
    assert.deepEqual(broken(names(false)), ['subject-name-present']);
    assert.deepEqual(
      broken({}, {}, root.makeIntermediate(names(true)), root),
      ['issuer-name-present', 'subject-name-present'].sort().reverse(),
    );
  });

  test('e-mail names: those of other kinds do not count', () => {
    const settings = { identitySources: ['email-san'] } as const;
    assert.deepEqual(broken({ emails: ['a@x.com'], dnsNames: ['under_score.com'] }, settings), []);
    assert.deepEqual(broken({ emails: ['a@x.com', 'nobody'] }, settings), ['identity-names-well-formed']);
    assert.deepEqual(broken({ emails: ['nobody'] }), []);
  });

  test('SPIFFE IDs', () => {
    const settings = { identitySources: ['spiffe-id'], trustDomains: ['x.example'] } as const;
    const rule = ['spiffe-trust-domain'];
    const named = (...uris: string[]) => ({ alternativeNames: uris.map(uri) });
    assert.deepEqual(broken(named('spiffe://x.example/a'), settings), []);
    assert.deepEqual(broken(named('spiffe://y.example/a')), []);
    for (const uris of [
      ['spiffe://y.example/a'],
      ['spiffe://x.example/a', 'https://x'],
      ['spiffe://x.example/a', 'spiffe://x.example/b'],
    ])
      assert.deepEqual(broken(named(...uris), settings).slice(0, 1), rule, `${uris}`);
    const below = (id: string) =>
      broken(named('spiffe://x.example/a'), settings, root.makeIntermediate(named(id)), root);
    assert.deepEqual([below('spiffe://x.example'), below('spiffe://x.example/a')], [[], rule]);
    const found = stepsOf(named('spiffe://y.example/1', 'urn:2', 'urn:3'), settings).find(({ passed }) => !passed);
    assert.match(found?.words ?? '', /: spiffe:\/\/y\.example\/1, urn:2$/);
    assert.equal(found?.setting, 'trustDomains: x.example');
  });

  test('the authority key identifier of a root', () => {
    const own = write(contextTag(0, 'primitive'), keyIdentifier(root.keys));
    const serial = write(contextTag(2, 'primitive'), Uint8Array.of(5));
    const issuer = writeContext(1, writeContext(4, root.subject));
    const brokenBy = (...fields: Uint8Array[]) =>
      broken(
        {},
        { profile: 'strict' },
        makeAuthority({
          keys: root.keys,
          without: ['authorityKeyIdentifier'],
          extensions: [extension(EXTENSION.authorityKeyIdentifier, writeSequence(...fields))],
        }),
      );
    assert.deepEqual(brokenBy(own), []);
    for (const fields of [[own, serial], [own, issuer], [serial], []])
      assert.deepEqual(brokenBy(...fields), ['root-key-identifier']);
  });
});
