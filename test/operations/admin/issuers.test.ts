import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { approveIssuer, type RevocationDraft } from '../../administer.ts';
import { makeAuthority } from '../../authority.ts';
import { extension, rsaKeys } from '../../signed-der.ts';
import { administration } from './admin-samples.ts';

const CA = writeSequence(write(TAG.boolean, Uint8Array.of(0xff)));

async function approval(
  context: TestContext,
  pem: string,
  profile: 'rfc5280' | 'strict' = 'rfc5280',
  more: Partial<RevocationDraft> = {},
) {
  const revocation = { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: true, ...more } as const;
  const settings = { identitySources: ['common-name'], identities: 'directory', profile, revocation } as const;
  const outcome = await approveIssuer({ label: 'corp', pem, ...settings }, await administration(context));
  return outcome.ok ? 'approved' : `${outcome.refusal.reason}: ${outcome.refusal.about}`;
}

suite('approving an issuer', () => {
  const root = makeAuthority({ name: 'Root' });

  test('accepts a root or an intermediate, followed by further intermediates', async (context) => {
    assert.equal(await approval(context, root.pem), 'approved');
    assert.equal(await approval(context, root.makeIntermediate().pem + root.makeIntermediate().pem), 'approved');
  });

  test('refuses a non-CA certificate in any place (CVE-2025-6037)', async (context) => {
    const leaf = root.issue({ commonName: 'entry' });
    assert.equal(await approval(context, leaf.pem), 'certificate-not-authority: CN=entry');
    assert.equal(await approval(context, root.pem + leaf.pem), 'certificate-not-authority: CN=entry');
  });

  test('refuses a version 1 certificate, even if self-signed', async (context) => {
    const old = makeAuthority({ name: 'Old', version: 1 });
    assert.equal(await approval(context, old.pem), 'certificate-not-authority: CN=Old');
  });

  test('refuses an issuer under which every request would fail, and names the rule', async (context) => {
    const careless = makeAuthority({ extensions: [extension(EXTENSION.basicConstraints, CA)] });
    assert.match(await approval(context, careless.pem), /^certificate-refused: .*basic constraints .* are critical/);
    const weak = makeAuthority({ keys: rsaKeys(1024) });
    assert.match(await approval(context, weak.pem), /^certificate-refused: .*2048 bits or more/);
    const former = makeAuthority({ notAfter: '2025-01-01' });
    assert.match(await approval(context, former.pem), /^certificate-expired: .*expired at 2025-01-01T00:00:00Z/);
  });

  test('refuses CRL files that hold no CRL, and addresses that are none', async (context) => {
    const crlFiles = [{ path: '/x.crl', contents: Buffer.from('nothing') }];
    assert.match(await approval(context, root.pem, 'rfc5280', { crlFiles }), /^crl-file-unusable: \/x\.crl: .*no CRL/);
    const allowedAddresses = ['10.0.0.0/8', 'example.com'];
    const refused = await approval(context, root.pem, 'rfc5280', { allowedAddresses });
    assert.equal(refused, 'address-range-malformed: example.com');
  });

  test('checks the issuer against its own profile', async (context) => {
    const bare = makeAuthority({ without: ['subjectKeyIdentifier', 'authorityKeyIdentifier'] });
    assert.equal(await approval(context, bare.pem), 'approved');
    assert.match(await approval(context, bare.pem, 'strict'), /^certificate-refused: .*\{profile: strict\}/);
  });
});
