// One text finds whatever it names.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { GrantId } from '../../../src/core/grant.ts';
import type { IdentityId } from '../../../src/core/identity.ts';
import { presenter } from '../../../src/core/presenter.ts';
import { search } from '../../../src/operations/admin/search.ts';
import { certificateMark, readCertificate } from '../../../src/pki/x509/certificate.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { refusalCounts } from '../../../src/store/tables/figures.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { makeAuthority } from '../../authority.ts';
import { ISSUER, issue, MARK, put } from '../../node.ts';
import { aGrant, anIdentity, aResourceServer, hexOf, NOW } from '../../samples.ts';
import { later } from '../../store/conformance/rows.ts';
import { onSqlite } from '../on-sqlite.ts';

test('a part of a name finds the first 50 people', async (t) => {
  const { node } = await onSqlite(t);
  for (let n = 0; n < 60; n++)
    await put(
      node.store,
      identities,
      anIdentity({ id: `local:${hexOf(15)}${10 + n}` as IdentityId, userName: `person-${n}` }),
    );
  assert.equal((await search('person', node)).identities.length, 50);
});

test('a fingerprint finds the grants of that key, and those that are bound to that certificate', async (t) => {
  const { node } = await onSqlite(t);
  const [key, bound, other] = ['01', '02', '03'].map((end) => `${'0'.repeat(30)}${end}` as GrantId);
  const [ofKey, thumbprint] = [hexOf(32, 0x5a), hexOf(32, 0x5b)];
  const certificate = { certificate: hexOf(16), issuerKey: hexOf(16), key: ofKey };
  await put(node.store, grants, aGrant({ id: key as GrantId, origin: { kind: 'certificate', certificate } }));
  await put(node.store, grants, aGrant({ id: bound as GrantId, bindings: [{ since: 0, thumbprint }] }));
  await put(node.store, grants, aGrant({ id: other as GrantId }));
  const found = async (text: string) => (await search(text, node)).grants.map(({ id }) => id);
  assert.deepEqual(await found(ofKey), [key]);
  assert.deepEqual(
    await found(thumbprint.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:')),
    [bound],
    'as openssl prints it',
  );
  assert.deepEqual(await found(hexOf(32, 0x5c)), []);
});

test('an address finds the newest 50 grants whose token it got, and its events of the last day', async (t) => {
  const { node, clock } = await onSqlite(t);
  const [address, { pair }] = ['2001:db8::7', aGrant()];
  for (let n = 0; n < 51; n++) {
    const id = n.toString(16).padStart(32, '0') as GrantId;
    await put(node.store, grants, aGrant({ id, pair: { ...pair, presenter: presenter(address, '') } }));
  }
  const events = [86_401, 86_400].map((ago) => ({
    ...({ type: 'spent', at: later(NOW, -ago), subjectId: hexOf(16) } as const),
    presenter: presenter(address, ''),
  }));
  await node.store.change(attempts, 'none', () => ({ outcome: undefined, events }));
  const found = await search(address, node);
  assert.deepEqual([found.grants.length, found.grants.at(-1)?.id.endsWith('01')], [50, true]);
  assert.deepEqual(
    found.events.map(({ sequence }) => sequence),
    [2],
  );
  assert.deepEqual((await search('2001:db8::8', node)).grants, []);
  clock.move(1);
  assert.deepEqual((await search(address, node)).events, []);
});

test('the first digits of an id find its grants, four or more; a serial number those of its certificate', async (t) => {
  const { node } = await onSqlite(t);
  const [authority, id] = [makeAuthority(), `abcd${'0'.repeat(28)}` as GrantId];
  const read = readCertificate(authority.certificate);
  assert.ok(read.ok);
  const origin = (serial: string) => {
    const certificate = certificateMark(read.value, Buffer.from(serial, 'hex'));
    return { kind: 'certificate', certificate: { ...MARK, certificate } } as const;
  };
  await put(node.store, issuers, { ...ISSUER, certificate: authority.certificate });
  await put(node.store, grants, aGrant({ id, revoked: { at: NOW, reason: 'by-holder' } }));
  await put(
    node.store,
    grants,
    aGrant({ id: hexOf(16, 1) as never, origin: origin('05'), revoked: { at: NOW, reason: 'reuse' } }),
  );
  await put(node.store, grants, aGrant({ id: hexOf(16, 2) as never, origin: origin('abcd') }));
  const found = async (text: string) => (await search(text, node)).grants.map((one) => one.id);
  assert.deepEqual([await found('abcd'), await found('abc'), await found('ABCD…')], [[id], [], [id]]);
  assert.deepEqual([await found('05'), await found('06')], [[hexOf(16, 1)], []]);
  const leaf = authority.issue({ commonName: 'ada', serial: Uint8Array.of(5) });
  assert.deepEqual(await found(leaf.pem), [hexOf(16, 1)]);
  assert.deepEqual(await found('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'), []);
});

test('the id of a request, or the serial number of a certificate, finds what was refused', async (t) => {
  const { node } = await onSqlite(t);
  const times = { count: 1, first: NOW, last: NOW };
  const row = (key: string, lastRequestId: string, serial?: string) =>
    ({
      key,
      clientId: '',
      identityId: '',
      reason: key,
      ...times,
      lastRequestId,
      ...(serial && { claimed: { serial, requestId: 'r' } }),
    }) as never;
  for (const one of [row('one', hexOf(8, 1), '05'), row('two', hexOf(8, 2), 'abcd'), row('three', hexOf(8, 3))])
    await put(node.store, refusalCounts, one);
  const found = async (text: string) => (await search(text, node)).refusals.map(({ reason }) => reason);
  assert.deepEqual(
    [await found(hexOf(8, 3)), await found('00:ab:cd'), await found('05')],
    [['three'], ['two'], ['one']],
  );
  assert.deepEqual([await found('ffff'), await found('nobody')], [[], []]);
});

test('a token finds its grant; what was registered is found by its names, unless it was removed', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  const ofToken = await search(pair.accessToken.reveal(), node);
  assert.deepEqual([ofToken.grants.map(({ id }) => id), ofToken.token?.refusal], [[pair.grantId], undefined]);
  const forged = await search('tsa_made-up', node);
  assert.deepEqual([forged.grants, forged.token?.refusal], [[], 'access-token-not-authentic']);
  await put(node.store, resourceServers, aResourceServer());
  await put(
    node.store,
    resourceServers,
    aResourceServer({ id: 'gone' as never, audience: 'https://gone.example' as never, removed: true }),
  );
  const authority = makeAuthority({ name: 'Root' });
  await put(node.store, issuers, { ...ISSUER, certificate: authority.certificate });
  await node.registry.refresh();
  const things = async (text: string) =>
    (await search(text, node)).things.map(({ section, id, name }) => `${section} ${id} ${name}`);
  assert.deepEqual(await things('ORDERS.example'), ['resourceServers orders-api Orders']);
  assert.deepEqual(await things('orders'), [
    'integrations orders-sync Orders sync',
    'resourceServers orders-api Orders',
  ]);
  assert.deepEqual(await things('gone'), []);
  const fingerprint = hash('sha256', authority.certificate, 'hex');
  assert.deepEqual(await things(fingerprint), ['issuers corp CN=Root']);
  assert.deepEqual((await search('  ', node)).things, []);
});
