// Everything registered as one document: planned and applied.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeIntegration } from '../../../src/operations/admin/acts/integration.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { type Administering, applyObjects, planObjects, registerIntegration } from '../../administer.ts';
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

test('what was removed is made anew, without what it had', async (t) => {
  const admin = await administration(t);
  await registerIntegration('a', { scope: 'orders:write', name: 'A' }, admin);
  assert.ok((await removeIntegration('a', { isConfirmed: true, everyNodeKnows: async () => undefined }, admin)).ok);
  assert.partialDeepStrictEqual((await planned(WANTED, admin)).items, [{ id: 'a', does: 'create' }]);
  assert.ok((await applyObjects(WANTED, admin)).ok);
  assert.equal((await admin.did()).at(-1), 'integration registered');
  assert.equal((await admin.store.load(integrations, 'a')).found?.row.name, 'a');
});
