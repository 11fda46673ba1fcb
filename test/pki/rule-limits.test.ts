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
import { uri } from './corpus/pieces.ts';
import { rsaSpki, spkiOf } from './keys.ts';

const root = makeAuthority({ name: 'Root' });
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

  test('names the setting that decides, or says that there is none', () => {
    const settingOf = (...question: Parameters<typeof stepsOf>) =>
      stepsOf(...question).find(({ passed }) => !passed)?.setting;
    assert.equal(settingOf({ without: ['extendedKeyUsage'] }, { profile: 'strict' }), 'profile: strict');
    assert.equal(settingOf({ notAfter: '2025-01-01' }), 'every profile');
    assert.equal(settingOf({ keys: ecKeys('secp256k1') }), 'curves: P-256, P-384, P-521');
    assert.equal(settingOf({ emails: ['nobody'] }, { identitySources: ['email-san'] }), 'identitySources: email-san');
  });

  test('of a SPIFFE ID says which names were found', () => {
    const settings = { identitySources: ['spiffe-id'], trustDomains: ['x.example'] } as const;
    const leaf = { alternativeNames: ['spiffe://y.example/1', 'urn:2', 'urn:3'].map(uri) };
    const found = stepsOf(leaf, settings).find(({ passed }) => !passed);
    assert.match(found?.words ?? '', /: spiffe:\/\/y\.example\/1, urn:2$/);
    assert.equal(found?.setting, 'trustDomains: x.example');
  });

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

suite('a rule is kept or broken', () => {
  test('keys of ML-DSA', () => {
    const mlDsa = { spki: spkiOf([writeOid('2.16.840.1.101.3.4.3.17')], Buffer.alloc(1312, 1)) };
    assert.deepEqual(broken(mlDsa, { mlDsa: true }), []);
    assert.deepEqual(broken(mlDsa), ['key-strong']);
    assert.equal(stepsOf(mlDsa).find(({ passed }) => !passed)?.setting, 'mlDsa: false');
  });

  test('e-mail names: those of other kinds do not count', () => {
    const settings = { identitySources: ['email-san'] } as const;
    assert.deepEqual(broken({ emails: ['a@x.com'], dnsNames: ['under_score.com'] }, settings), []);
    assert.deepEqual(broken({ emails: ['a@x.com', 'nobody'] }, settings), ['identity-names-well-formed']);
    assert.deepEqual(broken({ emails: ['nobody'] }), []);
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
