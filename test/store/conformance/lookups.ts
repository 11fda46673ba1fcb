import assert from 'node:assert/strict';
import type { GrantId } from '../../../src/core/grant.ts';
import type { Hex } from '../../../src/core/hex.ts';
import type { IdentityId } from '../../../src/core/identity.ts';
import type { ClientId } from '../../../src/core/integration.ts';
import { storeOf } from '../../../src/store/change.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { grants, grantsOf } from '../../../src/store/tables/grants.ts';
import { byEmail, byUpn, byUserName, identities } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { storeHistory } from '../../../src/store/tables/store-history.ts';
import { ADA, aGrant, anIdentity, anIntegration, hexOf } from '../../samples.ts';
import type { Claim } from '../conformance.ts';
import { assertSameRow, counter, put, told } from './rows.ts';

const asClientId = (text: string) => text as ClientId;
const grantId = (n: number) => n.toString(16).padStart(32, '0') as GrantId;
const localId = (n: number) => `local:${n.toString(16).padStart(32, '0')}` as IdentityId;

export function lookups(claim: Claim): void {
  claim('client_id is case sensitive [contract 4.1]', async ({ store }) => {
    await put(store, identities, anIdentity());
    for (const [n, name] of ['Orders', 'orders'].entries()) {
      await put(store, integrations, anIntegration({ clientId: asClientId(name), name }));
      await put(store, grants, aGrant({ id: grantId(n), clientId: asClientId(name) }));
    }
    assert.equal((await store.load(integrations, 'orders')).found?.row.name, 'orders');
    assert.equal((await store.load(integrations, 'ORDERS')).found, undefined);
    assert.deepEqual(
      (await store.find(grants, grantsOf.integration('Orders'))).map(({ id }) => id),
      [grantId(0)],
    );
    assert.deepEqual(await store.find(grants, grantsOf.integration('ORDERS')), []);
  });

  claim('an exchanged grant keeps its terms', async ({ store }) => {
    await put(store, identities, anIdentity());
    const parent = aGrant();
    const terms = { jkt: 'key', parent: { grantId: parent.id, generation: 3 } };
    const id = '018f00000000000000000000000000bb' as GrantId;
    const child = aGrant({ id, origin: { kind: 'exchange' }, terms, refreshable: false });
    await put(store, grants, parent);
    await put(store, grants, child);
    assert.deepEqual((await store.load(grants, id)).found?.row, child);
  });

  claim('find returns every row with a value, up to the limit', async ({ store }) => {
    for (let n = 1; n <= 5; n++) await put(store, identities, anIdentity({ id: localId(n), email: 'a@example.org' }));
    await put(store, identities, anIdentity({ id: localId(6), email: 'b@example.org' }));
    assert.equal((await store.find(identities, byEmail('a@example.org'))).length, 5);
    assert.equal((await store.find(identities, byEmail('a@example.org'), 2)).length, 2);
    assert.deepEqual(await store.find(identities, byEmail('c@example.org')), []);
    assert.deepEqual(await store.find(identities, byUpn('a@example.org')), []);
  });

  claim('find returns a row under its new value after a change', async ({ store }) => {
    await put(store, identities, anIdentity({ userName: 'ada' }));
    await put(store, identities, anIdentity({ userName: 'lovelace' }));
    assert.deepEqual(await store.find(identities, byUserName('ada')), []);
    assert.equal((await store.find(identities, byUserName('lovelace')))[0]?.id, ADA);
  });

  claim('SQL injection in a lookup finds nothing and changes nothing', async ({ store }) => {
    await put(store, identities, anIdentity());
    const tries = [
      "' OR 1=1 --",
      '%',
      '_da',
      'ada\0',
      'a\0da',
      '\0',
      'ADA',
      'ada ',
      '\ud800',
      '{ada}',
      'x'.repeat(10_000),
    ];
    for (const name of tries)
      assert.deepEqual(await store.find(identities, byUserName(name)), [], JSON.stringify(name));
    for (const about of tries)
      assert.equal((await store.load(attempts, about)).found, undefined, JSON.stringify(about));
    assert.equal((await store.find(identities, byUserName('ada'))).length, 1);
  });

  claim('hex keys match in either case, and malformed hex keys match no row', async ({ store }) => {
    await put(store, identities, anIdentity());
    const grant = aGrant();
    await put(store, grants, grant);
    assertSameRow((await store.load(grants, grant.id.toUpperCase())).found?.row, grant);
    const { id } = grant;
    for (const key of [
      '',
      'x',
      'not hex',
      id.slice(1),
      `${id}0`,
      `${id}00`,
      `0x${id}`,
      `\\x${id}`,
      `${id} `,
      `${id}\0`,
      'é',
    ])
      assert.equal((await store.load(grants, key)).found, undefined, key);
    assert.deepEqual(await store.page(grants, { limit: 10, after: 'not hex' }), []);
  });

  claim('writing malformed hex is a fault, and nothing is written', async ({ store }) => {
    await put(store, identities, anIdentity());
    const mark = { certificate: 'not hex' as Hex, issuerKey: hexOf(16), key: hexOf(32) };
    await assert.rejects(put(store, grants, aGrant({ origin: { kind: 'certificate', certificate: mark } })), /hex/);
    assert.deepEqual(await store.page(grants, { limit: 1 }), []);
    const event = { ...told(1), subjectId: 'not hex' };
    const change = () => ({ outcome: undefined, next: counter('a'), events: [event] });
    await assert.rejects(store.change(attempts, 'a', change), /hex/);
    assert.equal((await store.load(attempts, 'a')).found, undefined);
  });

  claim('only columns with an index can be searched', async ({ store }) => {
    await assert.rejects(async () => store.find(grants, { column: 'scope', value: 'x' }), /index/);
    const where = { column: 'scope; DROP TABLE grants', value: 'x' };
    await assert.rejects(async () => store.page(grants, { where, limit: 1 }), /index/);
  });

  claim('a row is loaded with the current state of its companion', async ({ store }) => {
    await put(store, identities, anIdentity());
    await put(store, grants, aGrant());
    assertSameRow((await store.load(grants, aGrant().id)).found?.companion, anIdentity());
    await put(store, identities, anIdentity({ enabled: false }));
    assert.equal((await store.load(grants, aGrant().id)).found?.companion?.enabled, false);
    assert.equal((await store.find(grants, grantsOf.holder(ADA)))[0]?.identityId, ADA);
  });

  claim('count returns how many rows have each value', async ({ store }) => {
    for (const [about, count] of [
      ['a', 1],
      ['b', 1],
      ['c', 2],
    ] as const)
      await put(store, attempts, counter(about, count));
    assert.deepEqual(
      new Map(await store.count(attempts, 'count')),
      new Map([
        [1, 2],
        [2, 1],
      ]),
    );
    await put(store, identities, anIdentity());
    await put(store, grants, aGrant());
    assert.deepEqual(new Map(await store.count(grants, 'generation')), new Map([[3, 1]]));
    const holder = grantsOf.holder(aGrant().identityId).value;
    assert.deepEqual(new Map(await store.count(grants, 'holder')), new Map([[holder, 1]]));
    assert.deepEqual(new Map(await store.count(integrations, 'client_id')), new Map());
  });

  claim('a stamp changes on every node when a row of its table changes, and only then', async (database) => {
    const [store, other] = [storeOf(await database.open()), storeOf(await database.open())];
    const seen = new Set<string>();
    const isNew = async () => {
      const stamp = await other.stamp(integrations);
      const fresh = !seen.has(stamp);
      seen.add(stamp);
      return fresh;
    };
    assert.ok(await isNew());
    for (const name of ['one', 'two', 'three']) {
      await put(store, integrations, anIntegration({ name }));
      assert.ok(await isNew(), name);
    }
    await put(store, integrations, anIntegration({ clientId: asClientId('second') }));
    assert.ok(await isNew(), 'another row');
    await put(store, attempts, counter('a'));
    assert.ok(!(await isNew()), 'a row of another table');
    await put(store, storeHistory, { epoch: 2, rollback: undefined });
    assert.ok(await isNew(), 'another history: the same counts may stand for other rows');
  });
}
