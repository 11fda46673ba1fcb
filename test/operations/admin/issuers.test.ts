import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { act, approveIssuer, type IssuerDraft, type RevocationDraft, withdrawIssuer } from '../../administer.ts';
import { makeAuthority } from '../../authority.ts';
import { extension, rsaKeys } from '../../signed-der.ts';
import { administration } from './admin-samples.ts';

const CA = writeSequence(write(TAG.boolean, Uint8Array.of(0xff)));

async function approval(
  context: TestContext,
  pem: string,
  profile: 'rfc5280' | 'strict' = 'rfc5280',
  more: Partial<RevocationDraft> = {},
  label = 'corp',
) {
  const revocation = { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: true, ...more } as const;
  const settings = { identitySources: ['common-name'], identities: 'directory', profile, revocation } as const;
  const outcome = await approveIssuer({ label, pem, ...settings }, await administration(context));
  return outcome.ok ? 'approved' : `${outcome.refusal.reason}: ${outcome.refusal.about}`;
}

suite('approving an issuer', () => {
  const root = makeAuthority({ name: 'Root' });

  test('accepts a root or an intermediate, followed by further intermediates', async (context) => {
    assert.equal(await approval(context, root.pem), 'approved');
    assert.equal(await approval(context, root.makeIntermediate().pem + root.makeIntermediate().pem), 'approved');
  });

  test('refuses a label that is none, or that stands for local identities', async (context) => {
    for (const label of ['local', 'LOCAL', '', 'a b', 'a:b', '1a'])
      assert.equal(await approval(context, root.pem, 'rfc5280', {}, label), `label-malformed: ${label}`);
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
    const admin = await administration(context);
    const body = { pem: root.pem, identitySources: ['common-name'], revocation: { allowedAddresses: ['10.0.0.0/8'] } };
    const put = await act('issuer-put', { id: 'corp', body }, admin);
    const { allowedAddresses: kept } = (await admin.store.load(issuers, 'corp')).found?.row.revocation ?? {};
    assert.deepEqual([put.ok, kept], [true, ['10.0.0.0/8']], 'a single one is kept');
  });

  test('checks the issuer against its own profile', async (context) => {
    const bare = makeAuthority({ without: ['subjectKeyIdentifier', 'authorityKeyIdentifier'] });
    assert.equal(await approval(context, bare.pem), 'approved');
    assert.match(await approval(context, bare.pem, 'strict'), /^certificate-refused: .*\{profile: strict\}/);
  });

  const COMMON = { identitySources: ['common-name'], identities: 'directory', profile: 'rfc5280' } as const;
  const settings: [settings: Partial<IssuerDraft>, why: string | undefined][] = [
    [{ directories: ['local', 'corp'] }, undefined],
    [{ directories: ['local', 'no label'] }, 'no label is not the label of a directory'],
    [{ identities: 'derived' }, undefined],
    [{ identities: 'derived', directories: ['corp'] }, 'derived identities are looked up in no directory'],
    [{ trustDomains: ['example.org', 'Example'] }, 'Example is not a trust domain'],
    [{ policies: ['1.2.3'] }, undefined],
    [{ policies: ['1.2.3', '1.02'] }, '1.02 is not an object identifier'],
    [{ policies: ['2.5.29.32.0'] }, '2.5.29.32.0 is any-policy, which requires nothing: leave it out'],
    [{ identitySources: ['spiffe-id'], identities: 'derived', trustDomains: ['example.org'] }, undefined],
    [{ identitySources: ['spiffe-id'], identities: 'derived' }, 'spiffe-id needs a trust domain'],
    [{ identitySources: ['spiffe-id'], trustDomains: ['example.org'] }, 'spiffe-id needs derived identities'],
  ];
  for (const [differing, why] of settings)
    test(`${why ? `refuses: ${why}` : `accepts ${JSON.stringify(differing)}`}`, async (t) => {
      const { pem } = root;
      const done = await approveIssuer({ label: 'corp', pem, ...COMMON, ...differing }, await administration(t));
      assert.deepEqual(
        done.ok || done.refusal,
        why === undefined || { reason: 'issuer-setting-malformed', about: why },
      );
      if (done.ok) assert.partialDeepStrictEqual(done.value, differing);
    });

  test('keeps what has its default out of the row, and names a certificate that cannot be read', async (t) => {
    const admin = await administration(t);
    const plain = await approveIssuer({ label: 'corp', pem: root.pem, ...COMMON, mlDsa: false, curves: [] }, admin);
    assert.ok(plain.ok);
    assert.deepEqual(
      [plain.value.mlDsa, plain.value.curves, plain.value.upnComparison],
      [undefined, undefined, undefined],
    );
    const more = { mlDsa: true, upnComparison: 'active-directory' } as const;
    const special = await approveIssuer({ label: 'other', pem: makeAuthority().pem, ...COMMON, ...more }, admin);
    assert.partialDeepStrictEqual(special.ok && special.value, more);
    const pem = `${root.pem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`;
    const unread = await approveIssuer({ label: 'third', pem, ...COMMON }, admin);
    assert.match(
      unread.ok ? '' : `${unread.refusal.reason}: ${unread.refusal.about}`,
      /^certificate-unreadable: certificate 2: ./,
    );
  });

  test('refuses a key that has another label, until that is withdrawn', async (t) => {
    const admin = await administration(t);
    const [approve, { pem }] = [(label: string, pem: string) => approveIssuer({ label, pem, ...COMMON }, admin), root];
    assert.ok((await approve('one', makeAuthority().pem)).ok);
    assert.ok((await approve('corp', pem)).ok);
    const refused = await approve('again', pem);
    assert.deepEqual(refused.ok || refused.refusal, { reason: 'issuer-key-approved', about: 'corp' });
    assert.ok((await withdrawIssuer('corp', admin)).ok);
    assert.ok((await approve('again', pem)).ok);
    const shown = await act('issuer-show', { id: 'corp' }, admin);
    assert.equal(shown.ok && (shown.value.value as { enabled: boolean }).enabled, false, 'identities have its label');
    const labels = async (query: object) => {
      const done = await act('issuer-list', { query }, admin);
      return done.ok && (done.value.value as { items: { label: string }[] }).items.map(({ label }) => label);
    };
    assert.deepEqual(
      [await labels({}), await labels({ all: true })],
      [
        ['again', 'one'],
        ['again', 'corp', 'one'],
      ],
    );
  });
});
