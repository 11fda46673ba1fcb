// Certificate flaws of other products, each as a claim about this service.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { IdentitySource } from '../../src/core/certificate.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { TAG } from '../../src/pki/der/der.ts';
import { write } from '../../src/pki/der/der-write.ts';
import { printStep } from '../../src/pki/judge/explain.ts';
import { type Authority, type CertificateOptions, makeAuthority } from '../authority.ts';
import { ecKeys, otherName, rsaKeys, utf8 } from '../signed-der.ts';
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

  test('the key of an approved issuer under another name is another issuer', () => {
    const renamed = makeAuthority({ name: 'Other', keys: root.keys });
    assert.equal(verdict({ chain: renamed.issue().chain, issuers: [approve(root)] }), NOT_APPROVED);
  });

  test('an approved issuer renewed with the same key is still accepted', () => {
    const renewed = makeAuthority({ name: 'Root', keys: root.keys });
    assert.equal(verdict({ chain: root.issue().chain, issuers: [approve(renewed)] }), 'accepted caller');
  });

  test('the certificate of an approved issuer does not authorize by itself', () => {
    assert.equal(
      verdict({ chain: [root.certificate], issuers: [approve(root)] }),
      'certificate-refused-by-policy: leaf-is-no-authority',
    );
  });

  test('a leaf cannot issue: a non-CA as intermediate is refused', () => {
    const leaf = root.issue({ commonName: 'leaf' });
    const below = makeAuthority({ name: 'leaf', keys: leaf.keys }).issue({ commonName: 'victim' });
    const chain = [below.certificate, leaf.certificate];
    assert.equal(verdict({ chain, issuers: [approve(root)] }), 'certificate-refused-by-policy: authority-is-ca');
  });

  test('a leaf meant for servers only is refused under every profile', () => {
    const chain = root.issue({ usages: ['1.3.6.1.5.5.7.3.1'] }).chain;
    for (const profile of ['rfc5280', 'strict'] as const) {
      assert.equal(
        verdict({ chain, issuers: [approve(root, { profile })] }),
        'certificate-refused-by-policy: client-usage',
      );
    }
  });

  test('certificates of a disabled issuer are refused', () => {
    assert.equal(verdict({ chain: root.issue().chain, issuers: [approve(root, { enabled: false })] }), NOT_APPROVED);
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

  test('a UPN of another ASN.1 type, and SmtpUTF8Mailbox read as e-mail, are refused', () => {
    const upns = [write(TAG.ia5, Buffer.from('root@example.com'))];
    assert.match(asked({ upns }, ['upn-san']), /^certificate-name-malformed/);
    const alternativeNames = [otherName('1.3.6.1.5.5.7.8.9', utf8('root@example.com'))];
    assert.match(asked({ alternativeNames }, ['email-san']), /^certificate-name-missing/);
  });

  test('names compare exactly, except for the ASCII case of a domain; Cyrillic а is not a', () => {
    assert.equal(asked({ commonName: '\u0430da' }, ['common-name']), 'accepted \u0430da');
    assert.equal(asked({ commonName: 'ADA' }, ['common-name']), 'accepted ADA');
    assert.equal(asked({ emails: ['Ada@EXAMPLE.com'] }, ['email-san']), 'accepted Ada@example.com');
  });
});

suite('approved issuers', () => {
  test('an approved intermediate works without its root', () => {
    const intermediate = root.makeIntermediate();
    assert.equal(verdict({ chain: intermediate.issue().chain, issuers: [approve(intermediate)] }), 'accepted caller');
    assert.equal(verdict({ chain: root.issue().chain, issuers: [approve(intermediate)] }), NOT_APPROVED);
  });

  test('configured intermediates complete the chain when a proxy sends only the leaf', () => {
    const intermediate = root.makeIntermediate();
    const [leaf = new Uint8Array()] = intermediate.issue().chain;
    assert.equal(verdict({ chain: [leaf], issuers: [approve(root)] }), NOT_APPROVED);
    const issuers = [approve(root, { intermediates: [intermediate.certificate] })];
    assert.equal(verdict({ chain: [leaf], issuers }), 'accepted caller');
  });

  test('the order of the sent intermediates does not matter', () => {
    const lower = root.makeIntermediate({ name: 'Upper' }).makeIntermediate({ name: 'Lower' });
    const [leaf = new Uint8Array(), ...above] = lower.issue().chain;
    assert.equal(verdict({ chain: [leaf, ...above.toReversed()], issuers: [approve(root)] }), 'accepted caller');
  });

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

suite('validity, to the second', () => {
  const leaf = root.issue({ notBefore: '2026-01-01T00:00:00Z', notAfter: '2026-02-01T00:00:00Z' });
  const at = (moment: string) =>
    verdict({ chain: leaf.chain, issuers: [approve(root)], now: epochSeconds(Date.parse(moment) / 1000) });

  test('notBefore and notAfter are inclusive (RFC 5280 4.1.2.5)', () => {
    assert.equal(at('2025-12-31T23:59:59Z'), 'certificate-not-yet-valid: not-yet-valid');
    assert.equal(at('2026-01-01T00:00:00Z'), 'accepted caller');
    assert.equal(at('2026-02-01T00:00:00Z'), 'accepted caller');
    assert.equal(at('2026-02-01T00:00:01Z'), 'certificate-expired: expired');
  });

  test('certificates of an expired issuer are refused', () => {
    const expired = makeAuthority({ notAfter: '2025-01-01' });
    assert.equal(
      verdict({ chain: expired.issue().chain, issuers: [approve(expired)] }),
      'certificate-expired: expired',
    );
  });
});

suite('weak cryptography is refused under every profile', () => {
  const weakRoot = makeAuthority({ name: 'RSA', keys: rsaKeys() });
  for (const [what, rule, chain] of [
    ['a SHA-1 signature', 'signature-algorithm-strong', weakRoot.issue({ digest: 'sha1' }).chain],
    ['an MD5 signature', 'signature-algorithm-strong', weakRoot.issue({ digest: 'md5' }).chain],
    ['an RSA key of 1024 bits', 'key-strong', weakRoot.issue({ keys: rsaKeys(1024) }).chain],
  ] as const) {
    test(what, () => {
      assert.equal(verdict({ chain, issuers: [approve(weakRoot)] }), `certificate-refused-by-policy: ${rule}`);
    });
  }
});

suite('hostile chains are bounded', () => {
  test('a chain of a hundred certificates is refused unread', () => {
    const chain = [...root.issue().chain, ...Array.from({ length: 100 }, () => root.certificate)];
    assert.equal(verdict({ chain, issuers: [approve(root)] }), 'certificate-refused-by-policy: bounded-work');
  });

  test('a certificate with many thousand names is refused unread', () => {
    const dnsNames = Array.from({ length: 3_000 }, (_, index) => `host-${index}.example.com`);
    const large = root.issue({ dnsNames });
    const chain = [...root.issue().chain, ...Array.from({ length: 3 }, () => large.certificate)];
    assert.equal(verdict({ chain, issuers: [approve(root)] }), 'certificate-refused-by-policy: bounded-work');
    assert.equal(verdict({ chain: large.chain, issuers: [approve(root)] }), 'certificate-unreadable: readable');
  });

  test('nine intermediates are refused', () => {
    let authority: Authority = root;
    for (let depth = 1; depth <= 8; depth++) authority = authority.makeIntermediate({ name: `Level ${depth}` });
    assert.equal(verdict({ chain: authority.issue().chain, issuers: [approve(root)] }), 'accepted caller');
    const deeper = authority.makeIntermediate({ name: 'Level 9' });
    assert.equal(verdict({ chain: deeper.issue().chain, issuers: [approve(root)] }), NOT_APPROVED);
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
