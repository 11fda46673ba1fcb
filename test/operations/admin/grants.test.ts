import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { GrantId } from '../../../src/core/grant.ts';
import { epochSeconds, seconds } from '../../../src/core/time.ts';
import { endGrant, endGrants } from '../../../src/operations/admin/acts/work/grant.ts';
import { findGrants, showGrant } from '../../../src/operations/admin/find-grants.ts';
import type { GrantFilter } from '../../../src/operations/admin/grant-filter.ts';
import { addIdentity } from '../../../src/operations/admin/identities.ts';
import { devices } from '../../../src/store/tables/devices.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { act, registerIntegration } from '../../administer.ts';
import { ADA, aDevice, aGrant, anIdentity, hexOf, NOW, OPERATOR } from '../../samples.ts';
import { put } from '../../store/conformance/rows.ts';
import { administration } from './admin-samples.ts';

const GUEST = 'https://agent.example/client.json';
const grantId = (n: number) => n.toString(16).padStart(32, '0') as GrantId;

/** Four grants: 0 and 2 are Ada's, 1 and 3 Bob's; 0 and 1 of `first`, 2 and 3 of `second`. Grant n ends after n + 1 days. */
async function fourGrants(t: TestContext) {
  const admin = await administration(t);
  const holders = [];
  for (const userName of ['ada', 'bob']) {
    const added = await addIdentity({ userName }, admin);
    assert.ok(added.ok);
    holders.push(added.value.id);
  }
  for (const clientId of ['first', 'second']) await registerIntegration(clientId, { scope: 'orders:read' }, admin);
  for (let n = 0; n < 4; n++) {
    const grant = aGrant({
      id: grantId(n),
      identityId: holders[n % 2] as never,
      clientId: (n < 2 ? 'first' : 'second') as never,
      refreshUntil: epochSeconds(NOW + (n + 1) * 86_400),
    });
    await admin.store.change(grants, grant.id, () => ({ outcome: undefined, next: grant }));
  }
  const found = async (filter: GrantFilter, limit = 10) => {
    const outcome = await findGrants(filter, limit, admin);
    return outcome.ok ? outcome.value.grants.map(({ id }) => Number.parseInt(id, 16)) : outcome.refusal;
  };
  return { admin, found, holders };
}

suite('grants, as operators find them', () => {
  test('by holder, integration and end; every condition counts', async (t) => {
    const { found } = await fourGrants(t);
    assert.deepEqual(await found({}), [0, 1, 2, 3]);
    assert.deepEqual(await found({ identity: 'ada' }), [0, 2]);
    assert.deepEqual(await found({ integration: 'second' }), [2, 3]);
    assert.deepEqual(await found({ identity: 'ada', integration: 'second' }), [2]);
    assert.deepEqual(await found({ ending: seconds(2 * 86_400 + 1) }), [0, 1]);
    assert.deepEqual(await found({}, 3), [0, 1, 2], 'at most the limit');
  });

  test('by the address of a client that nobody registered', async (t) => {
    const { admin, found, holders } = await fourGrants(t);
    const guest = GUEST;
    const [identityId, clientId] = [holders[1] as never, 'first' as never];
    const origin = { kind: 'code', guest: guest as never } as const;
    const next = aGrant({ id: grantId(4), identityId, clientId, origin });
    await admin.store.change(grants, next.id, () => ({ outcome: undefined, next }));
    assert.deepEqual(await found({ guest }), [4]);
    assert.deepEqual(await found({ guest, identity: 'bob' }), [4]);
    const other = 'https://agent.example/other.json';
    assert.deepEqual(await found({ guest: other }), { reason: 'guest-unknown', about: other });
    const ended = await endGrants({ filter: { guest }, isConfirmed: false }, admin);
    assert.deepEqual(ended.ok && ended.value, { grants: 1, codes: 0 });
    assert.deepEqual(await found({}), [0, 1, 2, 3]);
  });

  test('ended grants are listed on request', async (t) => {
    const { admin, found } = await fourGrants(t);
    admin.pass(86_400);
    assert.deepEqual(await found({}), [1, 2, 3]);
    assert.deepEqual(await found({ all: true }), [0, 1, 2, 3]);
  });

  test('an unknown name is refused instead of matching nothing', async (t) => {
    const { admin, found } = await fourGrants(t);
    assert.deepEqual(await found({ identity: 'eve' }), { reason: 'identity-unknown', about: 'eve' });
    assert.deepEqual(await found({ integration: 'third' }), { reason: 'integration-unknown', about: 'third' });
    for (const id of ['x', grantId(9)]) {
      const shown = await showGrant(id, admin);
      assert.deepEqual(shown.ok || shown.refusal, { reason: 'grant-unknown', about: id });
    }
  });

  test('a grant is shown without hashes, nonce or secret', async (t) => {
    const { admin } = await fourGrants(t);
    const shown = await showGrant(grantId(0), admin);
    assert.ok(shown.ok);
    assert.equal(shown.value.refreshUntil, new Date((NOW + 86_400) * 1000).toISOString().replace('.000Z', 'Z'));
    assert.doesNotMatch(JSON.stringify(shown.value), /hash|nonce|secret/i);
  });
});

suite('grants, as operators end them', () => {
  test('the event of the same commit names the author', async (t) => {
    const { admin, found } = await fourGrants(t);
    assert.ok((await endGrant(grantId(0), admin)).ok);
    const [event] = await admin.store.newestEvents({ count: 1 });
    assert.deepEqual(
      [event?.type, event?.subjectId, event?.detail],
      ['revoked', grantId(0), { reason: 'by-operator', by: OPERATOR, scope: 'orders:read' }],
    );
    assert.deepEqual(await found({}), [1, 2, 3]);
  });

  test('a grant that is unknown, or revoked already, is refused', async (t) => {
    const { admin } = await fourGrants(t);
    await endGrant(grantId(0), admin);
    const outcomes = [await endGrant(grantId(0), admin), await endGrant(grantId(9), admin), await endGrant('x', admin)];
    assert.deepEqual(
      outcomes.map((outcome) => outcome.ok || outcome.refusal.reason),
      ['grant-not-live', 'grant-not-live', 'grant-unknown'],
    );
  });

  test('several are ended only when that is confirmed, each with its author', async (t) => {
    const { admin, found } = await fourGrants(t);
    const filter = { identity: 'ada' };
    const refused = await endGrants({ filter, isConfirmed: false }, admin);
    assert.deepEqual(refused.ok || refused.refusal, { reason: 'confirmation-missing', about: '2' });
    assert.deepEqual(await found({}), [0, 1, 2, 3]);
    const ended = await endGrants({ filter, isConfirmed: true }, admin);
    assert.deepEqual(ended.ok && ended.value, { grants: 2, codes: 0 });
    assert.deepEqual(await found({}), [1, 3]);
    const events = await admin.store.newestEvents({ count: 2 });
    assert.deepEqual(
      events.map(({ type, detail }) => type === 'revoked' && detail.by),
      [OPERATOR, OPERATOR],
    );
  });

  test('codes that were confirmed and not redeemed end with them: of the identity, of the integration, of both, or since then', async (t) => {
    const { admin, holders } = await fourGrants(t);
    const idOf = (n: number) => grantId(n) as string as never;
    const createdAt = epochSeconds(NOW - 50);
    for (let n = 0; n < 4; n++) {
      const by = holders[n % 2] as never;
      const clientId = (n < 2 ? 'first' : 'second') as never;
      const decision = { is: 'confirmed', by, at: NOW } as const;
      const device = aDevice({ id: idOf(n), userCodeHash: hexOf(32, n), clientId, createdAt, decision });
      await admin.store.change(devices, device.id, () => ({ outcome: undefined, next: device }));
    }
    const end = async (filter: GrantFilter) => {
      const ended = await endGrants({ filter, isConfirmed: true }, admin);
      const rows = await admin.store.page(devices, { limit: 10 });
      return [
        ended.ok && ended.value.codes,
        rows.map(({ decision }) => (decision.is === 'confirmed' ? '+' : '-')).join(''),
      ];
    };
    assert.deepEqual(await end({ identity: 'ada', integration: 'second' }), [1, '++-+']);
    assert.deepEqual(await end({ identity: 'ada' }), [1, '-+-+']);
    assert.deepEqual(await end({ integration: 'second' }), [1, '-+--']);
    assert.deepEqual(await end({ identity: 'ada' }), [0, '-+--']);
    assert.deepEqual(await end({ certificate: hexOf(32) }), [0, '-+--'], 'codes are not made by certificate');
    admin.pass(100);
    assert.deepEqual(await end({ since: seconds(99) }), [0, '-+--'], 'it was confirmed before');
    assert.deepEqual(await end({ since: seconds(100) }), [1, '----']);
  });

  test('what is pending ends too: codes that wait for a person with their integration, those of guests with any guest [contract 3]', async (t) => {
    const { admin, holders } = await fourGrants(t);
    const idOf = (n: number) => grantId(n) as string as never;
    const clientId = 'first' as never;
    const origin = { kind: 'code', guest: GUEST as never } as const;
    await put(admin.store, grants, aGrant({ id: grantId(4), identityId: holders[0] as never, clientId, origin }));
    const confirmed = { is: 'confirmed', by: holders[1] as never, at: NOW } as const;
    const codes = [
      aDevice({ id: idOf(0), userCodeHash: hexOf(32, 0), clientId }),
      aDevice({ id: idOf(1), userCodeHash: hexOf(32, 1), clientId, decision: confirmed }),
      aDevice({ id: idOf(2), userCodeHash: hexOf(32, 2), clientId, decision: confirmed, interval: seconds(0) }),
    ];
    for (const code of codes) await put(admin.store, devices, code);
    const end = async (filter: GrantFilter) => {
      const ended = await endGrants({ filter, isConfirmed: true }, admin);
      const states = (await admin.store.page(devices, { limit: 10 })).map(({ decision }) => decision.is);
      return [ended.ok && ended.value.codes, ...states];
    };
    assert.deepEqual(await end({ guest: GUEST }), [1, 'open', 'confirmed', 'ended']);
    assert.deepEqual(await end({ integration: 'first' }), [2, 'ended', 'ended', 'ended']);
  });

  test('requests list and end them, and read what happened to one', async (t) => {
    const { admin } = await fourGrants(t);
    const run = async (name: Parameters<typeof act>[0], given: object) => {
      const done = await act(name, given, admin);
      return done.ok ? (done.value.value as Record<string, unknown>) : done.refusal.reason;
    };
    const page = async (query: object) => {
      const done = await run('grant-list', { query });
      if (typeof done === 'string') return done;
      return [
        (done['items'] as { id: string }[]).map(({ id }) => Number.parseInt(id, 16)),
        'next' in done && done['next'],
      ];
    };
    assert.deepEqual(await page({ limit: 3 }), [[0, 1, 2], grantId(2)]);
    assert.deepEqual(await page({ limit: 3, cursor: grantId(2) }), [[3], false]);
    assert.equal(await page({ identity: 'eve' }), 'identity-unknown');
    assert.deepEqual(await run('grant-revoke', { id: grantId(0) }), { id: grantId(0), endedGrants: 1 });
    const timeline = await run('grant-timeline', { id: grantId(0) });
    assert.partialDeepStrictEqual(timeline, { items: [{ type: 'revoked', subjectId: grantId(0) }] });
    assert.equal(await run('grant-timeline', { id: grantId(9) }), 'grant-unknown');
    assert.equal(await run('grant-revoke-all', { body: { integration: 'second' } }), 'confirmation-missing');
    const all = { integration: 'second', confirmed: true };
    assert.deepEqual(await run('grant-revoke-all', { body: all }), { endedGrants: 2, endedCodes: 0 });
    await put(admin.store, identities, anIdentity({ userName: 'another' }));
    for (let n = 4; n < 104; n++) await put(admin.store, grants, aGrant({ id: grantId(n), identityId: ADA }));
    const usual = await page({});
    assert.deepEqual(usual[1], grantId(102), '100 of those that live');
  });
});
