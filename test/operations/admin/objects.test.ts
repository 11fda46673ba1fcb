// Everything registered as one document: planned and applied.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantState } from '../../../src/core/grant.ts';
import type { IdentityId } from '../../../src/core/identity.ts';
import { removeIntegration } from '../../../src/operations/admin/acts/work/integration.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import {
  type Administering,
  act,
  applyObjects,
  approveIssuer,
  planObjects,
  registerIntegration,
  registerResourceServer,
} from '../../administer.ts';
import { makeAuthority } from '../../authority.ts';
import { BOB } from '../../node.ts';
import { ADA, aGrant, anIdentity, hexOf, NOW } from '../../samples.ts';
import { put } from '../../store/conformance/rows.ts';
import { administration } from './admin-samples.ts';

const WANTED = { integrations: { a: { scope: 'orders:read' } } };

async function planned(objects: object, ports: Administering) {
  const plan = await planObjects(objects, ports);
  assert.ok(plan.ok);
  return plan.value.value as { readonly digest: string; readonly items: readonly object[] };
}

test('a plan is applied as somebody has seen it, or not at all', async (t) => {
  const admin = await administration(t);
  const { digest } = await planned(WANTED, admin);
  await registerIntegration('a', { scope: 'orders:write' }, admin);
  const refused = await applyObjects(WANTED, admin, digest);
  assert.equal(refused.ok || refused.refusal.reason, 'changed-meanwhile');
  assert.ok((await applyObjects(WANTED, admin, (await planned(WANTED, admin)).digest)).ok);
  assert.equal((await admin.store.load(integrations, 'a')).found?.row.scope.text, 'orders:read');
  assert.deepEqual(await admin.did(), ['integration registered', 'integration changed']);
});

test('a document with a field that is unknown is refused as a whole', async (t) => {
  const plan = await planObjects(
    { integrations: { a: { scope: 'orders:read', scopes: '' } } },
    await administration(t),
  );
  assert.equal(plan.ok || plan.refusal.reason, 'object-malformed');
});

test('what was removed is made anew, without what it had', async (t) => {
  const admin = await administration(t);
  await registerIntegration('a', { scope: 'orders:write', name: 'A' }, admin);
  assert.ok((await removeIntegration('a', { isConfirmed: true, everyNodeKnows: async () => undefined }, admin)).ok);
  assert.partialDeepStrictEqual((await planned(WANTED, admin)).items, [{ id: 'a', does: 'create' }]);
  assert.ok((await applyObjects(WANTED, admin)).ok);
  assert.equal((await admin.did()).at(-1), 'integration registered');
  assert.equal((await admin.store.load(integrations, 'a')).found?.row.name, 'a');
});

test('an export has all that can be written, by name, and applying it changes nothing', async (t) => {
  const admin = await administration(t);
  const twins = [
    `corp:${hexOf(16, 1)}`,
    'local:{0a1b2c3d-0000-4000-8000-000000000001}',
    'local:{0a1b2c3d-0000-4000-8000-000000000002}',
  ];
  for (const [n, id] of twins.entries())
    await put(
      admin.store,
      identities,
      anIdentity({ id: id as never, userName: n === 0 ? 'ada' : 'twin', groups: [], ...(n === 0 && { seenAt: NOW }) }),
    );
  await put(admin.store, identities, anIdentity({ groups: ['ops'] }));
  await put(admin.store, identities, anIdentity({ id: BOB, userName: 'bob', groups: [] }));
  const everybody = [ADA, BOB, ...twins] as never[];
  const access = { to: 'named', groups: ['ops'], identities: everybody } as const;
  assert.ok((await registerIntegration('b', { scope: 'orders:read', access }, admin)).ok);
  await registerIntegration('a', { scope: 'orders:read' }, admin);
  await registerResourceServer('api', { audience: 'https://api.example', resources: ['orders'], identity: ADA }, admin);
  const settings = { identitySources: ['common-name'], identities: 'directory', profile: 'rfc5280' } as const;
  assert.ok((await approveIssuer({ label: 'corp', pem: makeAuthority().pem, ...settings }, admin)).ok);
  const done = await act('object-export', { body: {} }, admin);
  assert.ok(done.ok);
  const objects = done.value.value as Record<string, Record<string, Record<string, unknown>>>;
  assert.deepEqual(Object.keys(objects), ['integrations', 'resourceServers', 'issuers', 'identities']);
  assert.deepEqual(Object.keys(objects['integrations'] ?? {}), ['a', 'b']);
  const named = { to: 'named', groups: ['ops'], identities: ['ada', 'bob', ...twins] };
  assert.deepEqual(objects['integrations']?.['b']?.['access'], named);
  assert.equal(objects['resourceServers']?.['api']?.['identity'], 'ada');
  assert.deepEqual(objects['identities'], { ada: { groups: ['ops'] } });
  const issuer = Object.keys(objects['issuers']?.['corp'] ?? {});
  assert.deepEqual([issuer.includes('pem'), issuer.includes('fingerprint')], [true, false]);
  assert.deepEqual((await planned(objects, admin)).items, []);
});

test('a document says the groups of local identities that exist', async (t) => {
  const admin = await administration(t);
  await put(admin.store, identities, anIdentity({ groups: [] }));
  await put(admin.store, identities, anIdentity({ id: `corp:${hexOf(16, 1)}` as never, userName: 'eve' }));
  const apply = async (name: string, ...groups: string[]) => {
    const done = await applyObjects({ identities: { [name]: { groups } } }, admin);
    return done.ok || done.refusal.reason;
  };
  assert.equal(await apply('ada', 'ops', 'ops'), true);
  assert.deepEqual((await admin.store.load(identities, ADA)).found?.row.groups, ['ops']);
  assert.equal(await apply('eve', 'ops'), 'identity-unknown');
  assert.equal(await apply('ada', 'o ps'), 'text-malformed');
});

test('a document names people of other directories by id alone: they may choose any user name', async (t) => {
  const admin = await administration(t);
  const ofCorp = `corp:${hexOf(16, 1)}` as IdentityId;
  const derived = `derived:${hexOf(16, 2)}` as IdentityId;
  const removed = 'local:{0a1b2c3d-0000-4000-8000-00000000dead}';
  for (const userName of ['eve', removed])
    await put(admin.store, identities, anIdentity({ id: ofCorp, userName, seenAt: NOW }));
  await put(admin.store, identities, anIdentity({ id: derived, userName: 'derived/eve' }));
  const named = async (name: string) => {
    const access = { to: 'named', groups: [], identities: [name] } as const;
    const api = { audience: 'https://api.example', resources: ['orders'], identity: name };
    const integration = await applyObjects({ integrations: { a: { scope: 'orders:read', access } } }, admin);
    const server = await applyObjects({ resourceServers: { api } }, admin);
    return [integration, server].map((done) => done.ok || done.refusal.reason);
  };
  assert.deepEqual(await named(ofCorp), [true, true]);
  assert.deepEqual(await named('derived/eve'), [true, true]);
  assert.deepEqual(await named(removed), ['identity-unknown', 'identity-unknown'], 'an id is no name');
  await put(admin.store, identities, anIdentity({ id: ofCorp, userName: 'eve', seenAt: NOW }));
  assert.deepEqual(await named('eve'), ['identity-elsewhere', 'identity-elsewhere']);
  await put(admin.store, identities, anIdentity({ userName: 'eve' }));
  assert.deepEqual(await named('eve'), [true, true]);
  const { access } = (await admin.store.load(integrations, 'a')).found?.row ?? {};
  assert.deepEqual(access?.to === 'named' && access.identities, [ADA], 'the local one');
});

test('of a document that is pruned, what it does not name is removed, and grants of integrations end', async (t) => {
  const admin = await administration(t);
  for (const id of ['tessera-cli', 'a', 'b']) await registerIntegration(id, { scope: 'orders:read' }, admin);
  await registerResourceServer('api', { audience: 'https://api.example', resources: ['orders'] }, admin);
  const [ofA, ofB] = ['a', 'b'].map((clientId, n) =>
    aGrant({ id: `${n}`.repeat(32) as never, clientId: clientId as never }),
  );
  await put(admin.store, identities, anIdentity());
  for (const grant of [ofA, ofB]) await put(admin.store, grants, grant as never);
  const stateOf = async (grant = ofA) => {
    const { found } = await admin.store.load(grants, grant?.id ?? '');
    return found && grantState(found.row, NOW);
  };
  const known: unknown[] = [];
  const everyNodeKnows = async () => void known.push(await stateOf(ofB));
  const prune = async (objects: object) => {
    const done = await act('object-apply', { body: { objects, prune: true } }, {
      ...admin,
      everyNodeKnows,
    } as Administering);
    return (
      done.ok &&
      (done.value.value as { items: { id: string; does: string }[] }).items.map(({ id, does }) => `${does} ${id}`)
    );
  };
  const kept = await applyObjects(WANTED, admin);
  assert.deepEqual(kept.ok && (kept.value.value as { items: unknown }).items, [], 'unless that is asked for');
  assert.deepEqual(await prune({ identities: {} }), []);
  assert.deepEqual(known, []);
  assert.deepEqual(await prune(WANTED), ['remove b']);
  assert.deepEqual([known, await stateOf(ofA), await stateOf(ofB)], [['live'], 'live', 'revoked']);
  assert.deepEqual(await prune(WANTED), [], 'nor the integration of the command line');
  assert.deepEqual(await prune({ ...WANTED, resourceServers: {} }), ['remove api']);
});

test('groups that own integrations are admitted to the command line in the same commit, but not by owners', async (t) => {
  const admin = await administration(t);
  const groups = async () => {
    const { access } = (await admin.store.load(integrations, 'tessera-cli')).found?.row ?? {};
    return access?.to === 'named' ? access.groups : access?.to;
  };
  const own = async (id: string, owners: string[], ports: Administering = admin) => {
    const access = { to: 'named', groups: ['own'], identities: [] } as const;
    const done = await registerIntegration(id, { scope: 'orders:read', owners, access }, ports);
    assert.deepEqual(done.ok && done.value.access, access);
  };
  await own('early', ['first']);
  await registerIntegration('tessera-cli', { scope: 'orders:read' }, admin);
  await own('a', ['team']);
  assert.equal(await groups(), 'everyone');
  const access = { to: 'named', groups: ['ops'], identities: [] } as const;
  const restricted = { 'tessera-cli': { scope: 'orders:read', access } };
  assert.ok((await applyObjects({ integrations: restricted }, admin)).ok);
  await own('b', ['team', 'ops']);
  assert.deepEqual(await groups(), ['ops', 'team']);
  await own('c', ['other'], { ...admin, isOwner: true });
  assert.deepEqual(await groups(), ['ops', 'team']);
});
