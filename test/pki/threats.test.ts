// Certificate flaws of other products, each as a claim about this service.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { IdentitySource } from '../../src/core/certificate.ts';
import { printStep } from '../../src/pki/judge/explain.ts';
import { type Authority, type CertificateOptions, makeAuthority } from '../authority.ts';
import { ecKeys } from '../signed-der.ts';
import { approve, CRL_REQUIRED, judge, NOW, verdict } from './approved.ts';

const root = makeAuthority({ name: 'Root' });
const NOT_APPROVED = 'certificate-issuer-not-approved: issuer-approved';

suite('impersonation by certificate', () => {
  test('the identity comes from the leaf only, not from other certificates of the chain (CVE-2023-2422)', () => {
    const victim = root.issue({ commonName: 'victim' });
    const attacker = root.issue({ commonName: 'attacker' });
    const issuers = [approve(root)];
    assert.equal(verdict({ chain: [attacker.certificate, victim.certificate], issuers }), 'accepted attacker');
    const nameless = root.issue({ subject: Buffer.from([0x30, 0x00]), emails: ['a@x.com'] });
    assert.match(
      verdict({ chain: [nameless.certificate, victim.certificate], issuers }),
      /^certificate-refused-by-policy/,
    );
  });

  test('a non-CA certificate as trust entry cannot sign certificates (CVE-2025-6037)', () => {
    const entry = root.issue({ commonName: 'entry' });
    const forger = makeAuthority({ name: 'entry', keys: entry.keys, without: ['basicConstraints'] });
    const forged = forger.issue({ commonName: 'victim' });
    assert.equal(
      verdict({ chain: forged.chain, issuers: [approve(entry)] }),
      'certificate-refused-by-policy: authority-is-ca',
    );
  });

  test('a self-made certificate with the name of a trust entry and another key is refused (CVE-2025-6037)', () => {
    const entry = makeAuthority({ name: 'entry' });
    const forged = makeAuthority({ name: 'entry' });
    assert.equal(verdict({ chain: [forged.certificate], issuers: [approve(entry)] }), NOT_APPROVED);
  });

  test('a second CA with the name of an approved one is refused: issuers are pinned by key', () => {
    const namesake = makeAuthority({ name: 'Root' });
    const { outcome, steps } = judge({ chain: namesake.issue().chain, issuers: [approve(root)] });
    assert.equal(outcome.ok, false);
    assert.match(printStep(steps[0] ?? assert.fail()), /has the name of its issuer, but another key signed it/);
  });

  test('an approved issuer renewed with the same key is still accepted', () => {
    const renewed = makeAuthority({ name: 'Root', keys: root.keys });
    assert.equal(verdict({ chain: root.issue().chain, issuers: [approve(renewed)] }), 'accepted caller');
  });

  test('sibling certificates differ in certificate and key fingerprints and share the issuer key', () => {
    const [one, two] = [markOf(root), markOf(root)];
    assert.notDeepEqual(one.certificate, two.certificate);
    assert.notDeepEqual(one.key, two.key);
    assert.deepEqual(one.issuerKey, two.issuerKey);
  });

  test('the same serial number under another issuer is another certificate', () => {
    const serial = Buffer.from('1234', 'hex');
    const other = makeAuthority({ name: 'Root' });
    assert.notDeepEqual(markOf(root, serial).certificate, markOf(other, serial).certificate);
  });
});

suite('confusion of names', () => {
  const asked = (options: CertificateOptions, identitySources: readonly IdentitySource[]) =>
    verdict({ chain: root.issue(options).chain, issuers: [approve(root, { identitySources })] });

  test('several common names, NUL and injected RDN or SAN text never give another name (CVE-2021-44532, CVE-2026-22747)', () => {
    assert.match(asked({ commonName: ['john', 'root'] }, ['common-name']), /^certificate-name-ambiguous/);
    assert.match(asked({ commonName: 'john\0.evil' }, ['common-name']), /^certificate-name-malformed/);
    assert.equal(asked({ commonName: 'x/CN=root' }, ['common-name']), 'accepted x/CN=root');
    assert.equal(asked({ commonName: 'x, CN=root' }, ['common-name']), 'accepted x, CN=root');
    const injected = { emails: ['x@example.com, email:root@example.com'] };
    assert.doesNotMatch(asked(injected, ['email-san']), /^accepted/);
  });
});

suite('approved issuers', () => {
  test('a revoked intermediate beside its replacement with the same key changes nothing', () => {
    const keys = ecKeys();
    const [old, current] = [root.makeIntermediate({ keys }), root.makeIntermediate({ keys })];
    const { certificate: leaf } = current.issue();
    const issuers = [approve(root, { revocation: CRL_REQUIRED })];
    const crls = [root.crl({ revoked: [old.serial] }), current.crl()];
    const sent = (...above: readonly Authority[]) =>
      verdict({ chain: [leaf, ...above.map(({ certificate }) => certificate)], issuers, crls });
    assert.equal(sent(old), 'certificate-revoked: crl-revoked');
    for (const both of [sent(old, current), sent(current, old)]) assert.equal(both, 'accepted caller');
  });

  test('unreadable certificates after the leaf are skipped', () => {
    const chain = [...root.issue().chain, Buffer.from('not a certificate')];
    assert.equal(verdict({ chain, issuers: [approve(root)] }), 'accepted caller');
  });
});

suite('hostile chains are bounded', () => {
  test('a certificate with many thousand names is refused unread', () => {
    const dnsNames = Array.from({ length: 3_000 }, (_, index) => `host-${index}.example.com`);
    const large = root.issue({ dnsNames });
    const chain = [...root.issue().chain, ...Array.from({ length: 3 }, () => large.certificate)];
    assert.equal(verdict({ chain, issuers: [approve(root)] }), 'certificate-refused-by-policy: bounded-work');
    assert.equal(verdict({ chain: large.chain, issuers: [approve(root)] }), 'certificate-unreadable: readable');
  });
});

function markOf(authority: Authority, serial?: Uint8Array) {
  const { outcome } = judge({
    chain: authority.issue(serial ? { serial } : {}).chain,
    issuers: [approve(authority)],
    now: NOW,
  });
  return outcome.ok ? outcome.value.mark : assert.fail('not accepted');
}
