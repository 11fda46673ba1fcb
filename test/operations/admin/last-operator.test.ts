// Who administers from elsewhere needs somebody who may: an operator who is enabled.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { Author } from '../../../src/core/act.ts';
import { type Identity, type IdentityId, localIdentityId } from '../../../src/core/identity.ts';
import { rewrite } from '../../../src/operations/admin/perform.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { leases } from '../../../src/store/tables/leases.ts';
import { act } from '../../administer.ts';
import { put } from '../../node.ts';
import { ADA, anIdentity, OPERATOR } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const OLGA = localIdentityId('0a1b2c3d-0000-4000-8000-00000000019a');
const ADA_ELSEWHERE: Author = { as: 'identity', id: ADA, proof: 'passkey' };
const REFUSED = 'operator-last';

/** Everything by which an operator stops being one. */
const WAYS: Readonly<Record<string, readonly [Parameters<typeof act>[0], object]>> = {
  disabling: ['identity-disable', { id: 'ada' }],
  'disabling by id': ['identity-disable', { id: ADA }],
  removing: ['identity-remove', { id: 'ada', query: { confirmed: true } }],
  'another group': ['identity-put', { id: 'ada', body: { userName: 'ada', groups: ['viewers'] } }],
  'no group': ['identity-put', { id: 'ada', body: { userName: 'ada' } }],
  'no access to the API': ['identity-put', { id: 'ada', body: { groups: ['operators'], mayUseApi: false } }],
  'a file': ['object-apply', { body: { objects: { identities: { ada: { groups: [] } } } } }],
  'a file for two': [
    'object-apply',
    { body: { objects: { identities: { ada: { groups: [] }, olga: { groups: [] } } } } },
  ],
};

async function scene(t: TestContext, other: Partial<Identity>, by: Author = ADA_ELSEWHERE) {
  const admin = { ...(await administration(t)), by };
  await put(admin.store, identities, anIdentity({ id: ADA, userName: 'ada', groups: ['operators'] }));
  await put(admin.store, identities, anIdentity({ id: OLGA, userName: 'olga', ...other }));
  const run = async ([name, given]: (typeof WAYS)[string], store = admin.store) => {
    const done = await act(name, given, { ...admin, store });
    return done.ok ? 'done' : done.refusal.reason;
  };
  const rowOf = async (id: IdentityId) => (await admin.store.load(identities, id)).found?.row;
  return { admin, run, rowOf };
}

suite('the last operator', () => {
  for (const [name, way] of Object.entries(WAYS)) {
    test(`${name}: refused from elsewhere, while nobody else is an enabled operator [spec-gaps: The last operator]`, async (t) => {
      const others: Partial<Identity>[] = [
        { groups: ['viewers'] },
        { groups: ['operators'], enabled: false },
        { groups: ['operators'], mayUseApi: false },
      ];
      for (const other of others) {
        const { run, rowOf } = await scene(t, other);
        const before = await rowOf(ADA);
        assert.equal(await run(way), REFUSED, JSON.stringify(other));
        assert.deepEqual(await rowOf(ADA), before);
      }
    });

    test(`${name}: done if another operator stays, and by a command beside the store in any case`, async (t) => {
      const two = await scene(t, { groups: ['operators'] });
      assert.equal(await two.run(way), name === 'a file for two' ? REFUSED : 'done');
      const beside = await scene(t, {}, OPERATOR);
      assert.equal(await beside.run(way), 'done');
    });
  }

  test('what changes no operator, or makes another one at the same time, is done', async (t) => {
    const { run } = await scene(t, {});
    assert.equal(await run(['identity-disable', { id: 'olga' }]), 'done');
    assert.equal(await run(['identity-enable', { id: 'olga' }]), 'done');
    assert.equal(await run(['identity-put', { id: 'ada', body: { groups: ['operators', 'x'] } }]), 'done');
    const handover = { ada: { groups: [] }, olga: { groups: ['operators'] } };
    assert.equal(await run(['object-apply', { body: { objects: { identities: handover } } }]), 'done');
  });

  test('of two operators who disable each other at the same moment, at different nodes, one remains', async (t) => {
    const { admin, run, rowOf } = await scene(t, { groups: ['operators'] });
    let isFirst = true;
    const page = (async (...given: Parameters<typeof admin.store.page>) => {
      const found = await admin.store.page(...given);
      if (isFirst) await olgaIsDisabled();
      isFirst = false;
      return found;
    }) as typeof admin.store.page;
    /** By another node, after this one has seen her. */
    async function olgaIsDisabled() {
      const disabled = (row: Identity) => ({
        ok: true,
        value: { next: { ...row, enabled: false }, deed: { did: 'disabled' } },
      });
      assert.ok((await rewrite('identity', OLGA, admin, disabled as never)).ok);
      await put(admin.store, leases, { name: 'names', endsAt: await admin.store.now() });
    }
    assert.equal(await run(['identity-disable', { id: 'ada' }], { ...admin.store, page }), REFUSED);
    assert.deepEqual([(await rowOf(ADA))?.enabled, (await rowOf(OLGA))?.enabled], [true, false]);
  });
});
