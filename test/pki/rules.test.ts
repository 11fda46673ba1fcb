// Each rule of the table is broken once: the verdict names it, under its own profiles only.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { IdentitySource } from '../../src/core/certificate.ts';
import { contextTag, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { RULES } from '../../src/pki/path/rules.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type Authority, type CertificateOptions, makeAuthority } from '../authority.ts';
import { attribute, ecKeys, extension, rsaKeys, utf8 } from '../signed-der.ts';
import { approve, judge } from './approved.ts';
import { dns, uri } from './corpus/pieces.ts';
import { rsaSpki } from './keys.ts';

const root = makeAuthority({ name: 'Root' });
const usage = (bits: number) => extension(EXTENSION.keyUsage, write(TAG.bitString, Uint8Array.of(0, bits)), true);
const anyUsage = extension(EXTENSION.extendedKeyUsage, writeSequence(writeOid('2.5.29.37.0')));
const caFlag = writeSequence(write(TAG.boolean, Uint8Array.of(0xff)));
const requireExplicit = writeSequence(write(contextTag(0, 'primitive'), Uint8Array.of(5)));
const qualified = (qualifier: string) =>
  writeSequence(writeSequence(writeOid('1.2.3'), writeSequence(writeSequence(writeOid(qualifier), utf8('text')))));
const unsorted = [attribute('2.5.4.3', 'caller'), attribute('2.5.4.10', 'b')];
const constraint = writeSequence(writeContext(0, writeSequence(dns('x.com'))));

interface Broken {
  readonly rule: string;
  readonly leaf?: CertificateOptions;
  readonly by?: Authority;
  readonly identitySources?: readonly IdentitySource[];
  /** If it differs from `by`. */
  readonly approved?: Authority;
}

const shortRoot = makeAuthority({ name: 'Short', pathLength: 0 });

const BROKEN: readonly Broken[] = [
  { rule: 'extensions-well-formed', leaf: { extensions: [extension(EXTENSION.subjectAltName, Buffer.from('text'))] } },
  {
    rule: 'information-access-well-formed',
    leaf: { extensions: [extension(EXTENSION.authorityInfoAccess, Buffer.from('text'))] },
  },
  { rule: 'critical-extensions-known', leaf: { extensions: [extension('1.2.3.4', writeSequence(), true)] } },
  {
    rule: 'extension-criticality',
    leaf: { extensions: [extension(EXTENSION.subjectKeyIdentifier, write(TAG.octetString), true)] },
  },
  {
    rule: 'constraints-critical',
    by: makeAuthority({ extensions: [extension(EXTENSION.nameConstraints, constraint)] }),
  },
  {
    rule: 'constraints-critical',
    by: makeAuthority({ extensions: [extension(EXTENSION.policyConstraints, requireExplicit)] }),
    leaf: { extensions: [extension(EXTENSION.certificatePolicies, writeSequence(writeSequence(writeOid('1.2.3'))))] },
  },
  {
    rule: 'policy-qualifiers-known',
    leaf: { extensions: [extension(EXTENSION.certificatePolicies, qualified('1.2.3.4'), true)] },
  },
  { rule: 'names-in-set-order', leaf: { subject: writeSequence(write(TAG.set, ...unsorted)) } },
  { rule: 'identity-names-well-formed', leaf: { emails: ['nobody'] }, identitySources: ['email-san'] },
  {
    rule: 'spiffe-trust-domain',
    leaf: { alternativeNames: [uri('spiffe://other.example/a')] },
    identitySources: ['spiffe-id'],
  },
  { rule: 'key-curve', leaf: { keys: ecKeys('secp256k1') } },
  { rule: 'key-well-formed', leaf: { spki: rsaSpki({ exponent: Uint8Array.of(1) }) } },
  { rule: 'signature-algorithms-agree', leaf: { claimedDigest: 'sha1' } },
  { rule: 'signature-algorithm-strong', leaf: { digest: 'sha1' } },
  { rule: 'key-strong', leaf: { keys: rsaKeys(1024) } },
  { rule: 'key-kind', leaf: { keys: rsaKeys(2052) } },
  { rule: 'not-yet-valid', leaf: { notBefore: '2030-01-01' } },
  { rule: 'expired', leaf: { notAfter: '2025-01-01' } },
  { rule: 'dates-encoded', leaf: { notAfterDer: write(TAG.generalizedTime, Buffer.from('20400101000000Z')) } },
  { rule: 'serial-number', leaf: { serial: Uint8Array.of(0) } },
  { rule: 'serial-number', leaf: { serial: Uint8Array.of(0x80, 1) } },
  { rule: 'serial-number', leaf: { serial: Buffer.alloc(21, 1) } },
  { rule: 'issuer-name-present', by: makeAuthority({ subject: writeSequence() }) },
  { rule: 'subject-name-present', leaf: { subject: writeSequence() } },
  { rule: 'alternative-names-well-formed', leaf: { dnsNames: ['under_score.com'] } },
  { rule: 'dns-name-no-address', leaf: { dnsNames: ['192.0.2.1'] } },
  {
    rule: 'alternative-names-criticality',
    leaf: { extensions: [extension(EXTENSION.subjectAltName, writeSequence(dns('x.com')), true)] },
  },
  { rule: 'key-identifiers-consistent', leaf: { without: ['authorityKeyIdentifier'] } },
  { rule: 'key-identifiers-consistent', by: makeAuthority({ without: ['subjectKeyIdentifier'] }) },
  { rule: 'key-identifiers-present', leaf: { without: ['authorityKeyIdentifier', 'subjectKeyIdentifier'] } },
  {
    rule: 'root-key-identifier',
    by: makeAuthority({
      extensions: [
        extension(
          EXTENSION.authorityKeyIdentifier,
          writeSequence(write(contextTag(0, 'primitive'), Buffer.from('other'))),
        ),
      ],
    }),
  },
  { rule: 'authority-is-ca', by: makeAuthority({ without: ['basicConstraints'] }) },
  {
    rule: 'root-basic-constraints-critical',
    by: makeAuthority({ extensions: [extension(EXTENSION.basicConstraints, caFlag)] }),
  },
  { rule: 'authority-may-sign', by: makeAuthority({ extensions: [usage(0x02)] }) },
  {
    rule: 'authority-usage',
    by: makeAuthority({
      extensions: [extension(EXTENSION.extendedKeyUsage, writeSequence(writeOid('1.3.6.1.5.5.7.3.1')))],
    }),
  },
  { rule: 'root-without-usage', by: makeAuthority({ extensions: [anyUsage] }) },
  { rule: 'leaf-is-no-authority', leaf: { extensions: [extension(EXTENSION.basicConstraints, caFlag, true)] } },
  { rule: 'leaf-signs-no-certificates', leaf: { extensions: [usage(0x84)] } },
  { rule: 'leaf-signs-no-lists', leaf: { extensions: [usage(0x82)] }, identitySources: ['spiffe-id'] },
  {
    rule: 'leaf-without-name-constraints',
    leaf: { extensions: [extension(EXTENSION.nameConstraints, constraint, true)] },
  },
  { rule: 'leaf-key-usage', leaf: { extensions: [usage(0x20)] } },
  { rule: 'client-usage', leaf: { usages: ['1.3.6.1.5.5.7.3.1'] } },
  { rule: 'client-usage-explicit', leaf: { extensions: [anyUsage] } },
  { rule: 'client-usage-explicit', leaf: { without: ['extendedKeyUsage'] } },
  { rule: 'leaf-version', leaf: { version: 1 } },
  { rule: 'path-length', by: shortRoot.makeIntermediate(), approved: shortRoot },
];

/** Rules that RFC 5280 does not demand of those who check, or that go beyond it. */
const STRICT_ONLY = [
  ...['information-access-well-formed', 'alternative-names-well-formed', 'alternative-names-criticality'],
  ...['constraints-critical', 'dates-encoded', 'leaf-version', 'key-kind', 'key-identifiers-consistent'],
  ...['key-identifiers-present', 'root-key-identifier', 'root-without-usage', 'client-usage-explicit'],
];

suite('every rule refuses a certificate that breaks it', () => {
  for (const { rule, leaf = {}, by = root, approved = by, identitySources } of BROKEN) {
    const isStrictOnly = STRICT_ONLY.includes(rule);
    test(`${rule}${isStrictOnly ? ' (profile strict)' : ''}`, () => {
      const settings = identitySources ? { identitySources } : {};
      assert.equal(failures(by, leaf, { ...settings, profile: 'strict' }, approved).includes(rule), true);
      assert.equal(failures(by, leaf, { ...settings, profile: 'rfc5280' }, approved).includes(rule), !isStrictOnly);
    });
  }

  test('every rule of the table has a test certificate', () => {
    const unbroken = RULES.filter(({ rule }) => !BROKEN.some((broken) => broken.rule === rule)).map(({ rule }) => rule);
    assert.deepEqual(unbroken, []);
  });

  test('a certificate that breaks no rule passes both profiles', () => {
    assert.deepEqual(failures(root, {}, { profile: 'strict' }), []);
    assert.deepEqual(failures(root.makeIntermediate(), { emails: ['a@x.com'] }, { profile: 'strict' }), []);
  });

  test('a step of profile strict names the setting', () => {
    assert.equal(settingOf({ without: ['extendedKeyUsage'] }, { profile: 'strict' }), 'profile: strict');
  });

  test('a failed step names the setting that decides, or says that there is none', () => {
    assert.equal(settingOf({ notAfter: '2025-01-01' }, {}), 'every profile');
    assert.equal(settingOf({ keys: ecKeys('secp256k1') }, {}), 'curves: P-256, P-384, P-521');
    const settings = { identitySources: ['email-san'] } as const;
    assert.equal(settingOf({ emails: ['nobody'] }, settings), 'identitySources: email-san');
  });
});

type Settings = Parameters<typeof approve>[1];

function judgeLeaf(by: Authority, leaf: CertificateOptions, settings: Settings, approved = by) {
  return judge({ chain: by.issue(leaf).chain, issuers: [approve(approved, settings)] });
}

function settingOf(leaf: CertificateOptions, settings: Settings): string | undefined {
  return judgeLeaf(root, leaf, settings).steps.find(({ passed }) => !passed)?.setting;
}

function failures(by: Authority, leaf: CertificateOptions, settings: Settings, approved = by): string[] {
  return judgeLeaf(by, leaf, settings, approved)
    .steps.filter(({ passed }) => !passed)
    .map(({ rule }) => rule);
}
