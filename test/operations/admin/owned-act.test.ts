// What owners of integrations do with them, and that they learn nothing of others.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { GrantId } from '../../../src/core/grant.ts';
import type { ClientId } from '../../../src/core/integration.ts';
import type { Given } from '../../../src/operations/admin/acts/act.ts';
import { runActAs } from '../../../src/operations/admin/acts/owned-act.ts';
import type { ActName } from '../../../src/operations/admin/acts.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { act, actPorts, registerIntegration } from '../../administer.ts';
import { ADA, aGrant, anIdentity, hexOf } from '../../samples.ts';
import { put } from '../../store/conformance/rows.ts';
import { administration } from './admin-samples.ts';

/** An owner of `a`, `b` and `c`; each integration, and `other`, has a grant of Ada. */
async function scene(t: TestContext) {
  const admin = await administration(t);
  await put(admin.store, identities, anIdentity());
  const ids = ['a', 'b', 'c', 'other'];
  for (const [n, id] of ids.entries()) {
    await registerIntegration(id, { scope: 'orders:read,write' }, admin);
    const grant = aGrant({ id: hexOf(16, n + 1) as string as GrantId, clientId: id as ClientId, identityId: ADA });
    await put(admin.store, grants, grant);
  }
  const run = async (name: ActName, given: Given, owned: readonly string[] | undefined = ['c', 'a', 'b']) => {
    const done = await runActAs(owned as readonly ClientId[] | undefined, name, given, actPorts(admin));
    return done.ok ? (done.value.value as Record<string, unknown>) : done.refusal.reason;
  };
  return { admin, run };
}

const REFUSED = 'permission-missing';

test('their list has their integrations in pages, without removed ones', async (t) => {
  const { admin, run } = await scene(t);
  const page = async (query: object) => {
    const { items, ...next } = (await run('integration-list', { query })) as { items: { clientId: string }[] };
    return [items.map(({ clientId }) => clientId).join(''), next];
  };
  assert.deepEqual(await page({}), ['abc', {}]);
  assert.deepEqual(await page({ limit: 2 }), ['ab', { next: 'b' }]);
  assert.deepEqual(await page({ limit: 2, cursor: 'b' }), ['c', {}]);
  assert.deepEqual(await page({ limit: 3 }), ['abc', {}]);
  await act('integration-remove', { id: 'b', query: { confirmed: true } }, admin);
  assert.deepEqual(await page({ limit: 2 }), ['a', { next: 'b' }]);
  const all = (await run('integration-list', {}, undefined)) === REFUSED;
  assert.equal(all, false);
});

test('a name that nobody has, and one without grants there, give the same answer', async (t) => {
  const { run } = await scene(t);
  for (const identity of ['eve', 'ada']) {
    const query = { integration: identity === 'ada' ? 'a' : 'b', identity };
    const { items } = (await run('grant-list', { query })) as { items: unknown[] };
    assert.equal(items.length, identity === 'ada' ? 1 : 0);
  }
  const body = { integration: 'b', identity: 'eve', confirmed: true };
  assert.deepEqual(await run('grant-revoke-all', { body }), { endedGrants: 0, endedCodes: 0 });
});

test('they narrow an integration, as it was when they saw it, and never widen it', async (t) => {
  const { admin, run } = await scene(t);
  const write = async (body: object, onlyIf?: Given['onlyIf'], id = 'a') => {
    const done = await run('integration-put', { id, body: { name: id, ...body }, onlyIf });
    return typeof done === 'string' ? done : done['scope'];
  };
  assert.equal(await write({ scope: 'orders:read,write,delete' }), REFUSED);
  assert.equal(await write({ scope: 'orders:read' }, undefined, 'other'), REFUSED);
  assert.equal(await write({ scope: 'a b' }), 'scope-malformed');
  const named = { to: 'named', identities: ['eve'], groups: [] };
  assert.equal(await write({ scope: 'orders:read', access: named }), REFUSED, 'nor learn that nobody has the name');
  assert.equal(await write({ scope: 'orders:read' }, 5), 'changed-meanwhile');
  assert.equal(await write({ scope: 'orders:read' }, 'present'), 'orders:read');
  assert.equal(await write({ scope: 'orders:read' }), 'orders:read');
  assert.equal(await write({ scope: 'orders:read' }, 'absent'), 'integration-exists');
  await act('integration-remove', { id: 'a', query: { confirmed: true } }, admin);
  assert.equal(await write({ scope: 'orders:read' }), REFUSED);
});
