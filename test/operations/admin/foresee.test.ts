import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Grant, GrantId } from '../../../src/core/grant.ts';
import { firstHalf } from '../../../src/core/hex.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import { readNewEvents, readOlderEvents } from '../../../src/operations/admin/acts/work/event.ts';
import { grantsOfThing, previewPut } from '../../../src/operations/admin/foresee.ts';
import { search } from '../../../src/operations/admin/search.ts';
import { readCertificate } from '../../../src/pki/x509/certificate.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { SERVICE, serviceTimes } from '../../../src/store/tables/service-times.ts';
import { sha256 } from '../../../src/tokens/sha256.ts';
import { actPorts } from '../../administer.ts';
import { makeAuthority } from '../../authority.ts';
import { BOB, ISSUER, MARK, put } from '../../node.ts';
import { ADA, aGrant, anIdentity, CLIENT, hexOf, NOW, OPERATOR } from '../../samples.ts';
import { withTurns } from '../../turns.ts';
import { onSqlite } from '../on-sqlite.ts';

const MANY = 10_000;

test('of very many grants, as many are counted as an operator can wait for, and other requests are answered meanwhile', async (t) => {
  const { node, clock } = await onSqlite(t);
  const add = (number: number) => {
    const id = number.toString(16).padStart(32, '0') as GrantId;
    return put(node.store, grants, aGrant({ id, refreshUntil: epochSeconds(clock.now() + 60) }));
  };
  await Promise.all(Array.from({ length: 1000 }, (_, number) => add(number)));
  const all = await grantsOfThing('integration', CLIENT, node.store);
  assert.deepEqual([all?.grants, all?.holders, all?.isComplete], [1000, 1, true]);

  await Promise.all(Array.from({ length: MANY + 1 - 1000 }, (_, number) => add(1000 + number)));
  const most = await grantsOfThing('integration', CLIENT, node.store);
  assert.deepEqual([most?.grants, most?.isComplete], [1000, false]);
  const [none, turns] = await withTurns(grantsOfThing('token-issuer', 'unknown', node.store));
  assert.deepEqual([none?.grants, none?.isComplete], [0, false]);
  assert.ok(turns >= 40, `other work had ${turns} turns`);
  const [, searching] = await withTurns(search('198.51.100.99', node));
  assert.ok(searching >= 20, `other work had ${searching} turns`);
});

test('a filter of events that nothing matches reads much of the log, and other requests are answered meanwhile', async (t) => {
  const { node, clock } = await onSqlite(t);
  for (let written = 0; written < MANY; written += 2000)
    await node.store.change(serviceTimes, SERVICE, () => ({
      outcome: undefined,
      events: Array.from({ length: 2000 }, () => ({ type: 'refreshed', at: clock.now() }) as const),
    }));
  const filter = { type: 'reused' } as const;
  const [older, backwards] = await withTurns(readOlderEvents({ limit: 10, filter }, node));
  assert.equal(older.items.length, 0);
  assert.ok(backwards >= 9, `other work had ${backwards} turns`);
  const [newer, forwards] = await withTurns(readNewEvents({ after: 0, limit: 10, filter }, node));
  assert.ok(newer.ok && newer.value.items.length === 0);
  assert.ok(forwards >= 9, `other work had ${forwards} turns`);
});

test('events before a moment are read up to it, not to the end of the log', async (t) => {
  const { node, clock } = await onSqlite(t);
  const write = () =>
    node.store.change(serviceTimes, SERVICE, () => ({
      outcome: undefined,
      events: Array.from({ length: 1500 }, () => ({ type: 'refreshed', at: clock.now() }) as const),
    }));
  await write();
  clock.move(3600);
  await write();
  const until = epochSeconds(clock.now() - 1800);
  const page = await readNewEvents({ after: 0, limit: MANY, filter: { until } }, node);
  assert.deepEqual(page.ok && [page.value.items.length, page.value.next], [1500, undefined]);
});

/** Ada and Bob have two grants each; one of each ended, which of Bob's had expired. */
async function withGrants(t: TestContext, difference: Partial<Grant> = {}) {
  const { node } = await onSqlite(t);
  const ended = { revoked: { at: NOW, reason: 'by-holder' } } as const;
  const all = [
    { identityId: ADA, scope: 'orders:read' },
    { identityId: BOB, scope: 'orders:write', ...difference },
    { identityId: ADA, scope: 'orders:write', ...difference, ...ended },
    { identityId: BOB, scope: 'orders:write', ...difference, refreshUntil: NOW },
  ];
  for (const [n, of] of all.entries()) await put(node.store, grants, aGrant({ id: hexOf(16, n) as never, ...of }));
  return {
    node,
    touched: (names: string[]) => ({ grants: names.length, holders: names.length, names, isComplete: true }),
  };
}

test('of a thing, the living grants are counted that need it', async (t) => {
  const authority = makeAuthority();
  const read = readCertificate(authority.certificate);
  assert.ok(read.ok);
  const issuerKey = firstHalf(sha256(read.value.publicKey.spki as never));
  const origins = {
    'token-issuer': { kind: 'assertion', assertion: { tokenIssuer: 'ci', subject: hexOf(16) } },
    issuer: { kind: 'certificate', certificate: { ...MARK, issuerKey } },
  } as const;
  for (const [kind, origin] of Object.entries(origins)) {
    const { node, touched } = await withGrants(t, { origin });
    await put(node.store, issuers, { ...ISSUER, label: 'ci', certificate: authority.certificate });
    await put(node.store, issuers, { ...ISSUER, label: 'other', certificate: makeAuthority().certificate });
    await put(node.store, issuers, { ...ISSUER, label: 'unreadable', certificate: new Uint8Array(1) });
    assert.deepEqual(await grantsOfThing(kind, 'ci', node.store), touched(['bob']), kind);
    assert.deepEqual(await grantsOfThing(kind, 'other', node.store), touched([]), kind);
    assert.deepEqual(await grantsOfThing('integration', CLIENT, node.store), touched(['bob', 'ada']));
    assert.deepEqual(await grantsOfThing('identity', ADA, node.store), touched(['ada']));
    for (const id of ['unreadable', 'unknown']) assert.equal(await grantsOfThing('issuer', id, node.store), undefined);
    assert.equal(await grantsOfThing('resource-server', 'api', node.store), undefined);
  }
});

test('of many holders, five are named, by their ids if they have no name', async (t) => {
  const { node } = await onSqlite(t);
  for (let n = 0; n < 6; n++) {
    const { userName, ...row } = anIdentity({ id: `corp:${hexOf(16, n)}` as never, userName: `person-${n}` });
    await put(node.store, identities, n === 5 ? row : { ...row, userName: userName ?? '' });
    await put(node.store, grants, aGrant({ id: hexOf(16, n) as never, identityId: row.id }));
  }
  const touched = await grantsOfThing('integration', CLIENT, node.store);
  const names = [`corp:${hexOf(16, 5)}`, 'person-4', 'person-3', 'person-2', 'person-1'];
  assert.deepEqual([touched?.holders, touched?.names], [6, names]);
});

test('a preview says what would change, and whose living grants would be refused or get less', async (t) => {
  const { node, touched } = await withGrants(t);
  const ports = actPorts({ ...node, by: OPERATOR });
  const scope = 'orders:read,write;stock:read';
  const { name, description, vendor } = {
    name: 'Orders sync',
    description: 'Copies orders every night',
    vendor: 'Example',
  };
  const body = { scope, name, description, vendor };
  const preview = async (change: object, id = CLIENT as string, owned?: [typeof CLIENT]) => {
    const done = await previewPut('integrations', id, { ...body, ...change }, ports, owned);
    return done.ok ? { fields: Object.keys(done.value.fields), touched: done.value.touched } : done.refusal.reason;
  };
  assert.deepEqual(await preview({}), { fields: [], touched: undefined });
  assert.deepEqual(await preview({ vendor: 'X' }), { fields: ['vendor'], touched: touched([]) });
  assert.deepEqual(await preview({ scope: 'orders:read' }), { fields: ['scope'], touched: touched(['bob']) });
  assert.deepEqual(await preview({ enabled: false }), { fields: ['enabled'], touched: touched(['bob', 'ada']) });
  const access = { to: 'named', identities: [ADA], groups: [] };
  assert.deepEqual(await preview({ access }), { fields: ['access'], touched: touched(['bob']) });
  await put(node.store, identities, anIdentity({ id: BOB, userName: 'bob', enabled: false }));
  assert.deepEqual(await preview({ access }), { fields: ['access'], touched: touched([]) }, 'he is refused already');
  assert.equal(await preview({ scope: 'a b' }), 'scope-malformed');
  assert.equal(await preview({ scope: 'prices' }, CLIENT, [CLIENT]), 'permission-missing');
  const made = await preview({ scope: 'orders' }, 'new');
  assert.deepEqual(typeof made === 'string' || made.touched, touched([]));
});

test('a preview of anything else says what would change, and what would be shown', async (t) => {
  const { node } = await onSqlite(t);
  const ports = actPorts({ ...node, by: OPERATOR });
  const server = { audience: 'https://api.example', resources: ['orders'] };
  const made = await previewPut('resourceServers', 'api', server, ports);
  assert.partialDeepStrictEqual(made.ok && made.value.facts, { ...server, id: 'api', secrets: [] });
  assert.equal(made.ok && 'touched' in made.value, false);
  const ofAda = await previewPut('identities', 'ada', { userName: 'ada', groups: ['staff'], mayUseApi: false }, ports);
  assert.deepEqual(ofAda.ok && ofAda.value, { fields: { mayUseApi: { before: true, after: false } } });
  const ofEve = await previewPut('identities', 'eve', { userName: 'eve', password: 'x' }, ports);
  assert.deepEqual(ofEve.ok && Object.keys(ofEve.value.fields).includes('password'), false);
  assert.partialDeepStrictEqual(ofEve.ok && ofEve.value.fields, { userName: { after: 'eve' } });
});
