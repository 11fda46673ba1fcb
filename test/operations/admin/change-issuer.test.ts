import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { approveIssuer, changeIssuer, type IssuerDraft as IssuerChange } from '../../administer.ts';
import { makeAuthority } from '../../authority.ts';
import { OPERATOR } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const root = makeAuthority({ name: 'Root' });
const bare = { name: 'Bare', without: ['subjectKeyIdentifier', 'authorityKeyIdentifier'] } as const;

async function approved(t: Parameters<typeof administration>[0], pem = root.pem) {
  const admin = await administration(t);
  const revocation = { ocsp: 'off', crlFiles: [], endGrants: true } as const;
  const settings = { identitySources: ['common-name'], identities: 'directory', profile: 'rfc5280' } as const;
  assert.ok((await approveIssuer({ label: 'corp', pem, ...settings, revocation }, admin)).ok);
  const row = async () => (await admin.store.load(issuers, 'corp')).found?.row;
  const change = async (changed: Partial<IssuerChange>, label = 'corp') => {
    const outcome = await changeIssuer(label, { revocation: {}, ...changed }, admin);
    return outcome.ok ? 'changed' : outcome.refusal.reason;
  };
  return { admin, row, change };
}

test('a change of an issuer keeps what it does not name, and commits its event', async (t) => {
  const { admin, row, change } = await approved(t);
  const before = await row();
  assert.equal(await change({ identitySources: ['upn-san'], revocation: { ocsp: 'required' } }), 'changed');
  assert.deepEqual(await row(), {
    ...before,
    identitySources: ['upn-san'],
    revocation: { ...before?.revocation, ocsp: 'required' },
  });
  const [event] = await admin.store.newestEvents({ count: 1 });
  assert.deepEqual(event?.detail, {
    kind: 'issuer',
    id: 'corp',
    did: 'changed',
    changed: {
      identitySources: { before: ['common-name'], after: ['upn-san'] },
      revocation: { before: before?.revocation, after: { ...before?.revocation, ocsp: 'required' } },
    },
    by: OPERATOR,
  });
});

test('empty lists remove curves and integrations; list files stay', async (t) => {
  const { row, change } = await approved(t);
  const list = { path: '/ca.crl', contents: root.crl() };
  await change({
    curves: ['brainpoolP384r1'],
    integrations: ['a' as never],
    revocation: { crl: 'required', crlFiles: [list] },
  });
  const full = await row();
  assert.deepEqual([full?.curves, full?.integrations, full?.revocation.crl], [['brainpoolP384r1'], ['a'], 'required']);
  await change({ curves: [], integrations: [], revocation: { crl: 'if-available' } });
  const { curves, integrations, revocation } = (await row()) ?? {};
  assert.deepEqual([curves, integrations, revocation?.crlFiles], [undefined, undefined, ['/ca.crl']]);
});

test('a renewed certificate must have the same key, and the whole is checked by the new settings', async (t) => {
  const { row, change } = await approved(t);
  const renewed = makeAuthority({ name: 'Root', keys: root.keys, notAfter: '2048-01-01' });
  assert.equal(await change({ pem: renewed.pem }), 'changed');
  assert.deepEqual((await row())?.certificate, Buffer.from(renewed.certificate));
  assert.equal(await change({ pem: makeAuthority({ name: 'Root' }).pem }), 'issuer-key-differs');
  assert.equal(await change({ pem: 'nothing' }), 'certificate-unreadable');
  assert.equal(await change({ profile: 'strict' }, 'nobody'), 'issuer-unknown');
});

test('a stricter profile that the authority itself would fail is refused', async (t) => {
  const { row, change } = await approved(t, makeAuthority(bare).pem);
  assert.equal(await change({ profile: 'strict' }), 'certificate-refused');
  assert.equal((await row())?.profile, 'rfc5280');
});
