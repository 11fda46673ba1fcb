import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Integration } from '../../src/core/integration.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import type { Store } from '../../src/store/store.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { clientId } from '../e2e/service.ts';
import { eventually } from '../eventually.ts';
import { put } from '../node.ts';
import { onSqlite } from '../operations/on-sqlite.ts';
import { anIntegration, aResourceServer } from '../samples.ts';

test('an integration added a moment ago is found in the store', async (t) => {
  const { node } = await onSqlite(t);
  const added = anIntegration({ clientId: clientId('added-now') });
  await put(node.store, integrations, added);
  assert.equal(node.registry.integration('added-now'), undefined, 'not in memory yet');
  assert.deepEqual(await node.registry.findIntegration('added-now'), added);
  assert.equal(await node.registry.findIntegration('unknown'), undefined);
});

test('a resource server added or changed a moment ago is found in the store; a disabled one is not listed', async (t) => {
  const { node } = await onSqlite(t);
  const added = aResourceServer();
  await put(node.store, resourceServers, added);
  assert.deepEqual(node.registry.resourceServers, [], 'not in memory yet');
  assert.deepEqual(await node.registry.lookForResourceServers(), [added]);
  await put(node.store, resourceServers, { ...added, enabled: false });
  assert.equal(await node.registry.refresh(), true);
  assert.deepEqual(node.registry.resourceServers, []);
  assert.equal(await node.registry.refresh(), false);
});

test('a known integration needs no query, and a thousand unknown ones share a few', async (t) => {
  const { node } = await onSqlite(t);
  let queries = 0;
  const registry = new FollowedRegistry({
    ...node.store,
    stamp: (table) => {
      queries += 1;
      return node.store.stamp(table);
    },
  });
  await registry.refresh();
  queries = 0;
  await registry.findIntegration(anIntegration().clientId);
  assert.equal(queries, 0);
  const began = performance.now();
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 100 }, (_, index) => registry.findIntegration(`unknown-${round}-${index}`)));
  const most = 1 + Math.ceil((performance.now() - began) / 100);
  assert.ok(queries <= most, `${queries} queries, at most ${most} expected`);
});

/** A registry whose reads of the store wait, or fail, as the test says. */
async function heldRegistry(t: TestContext) {
  const { node } = await onSqlite(t);
  const state = { held: undefined as Promise<void> | undefined, waiting: 0, isAway: false };
  const page: Store['page'] = async (table, query) => {
    if (state.isAway) throw new Error('away');
    const found = await node.store.page(table, query);
    state.waiting += 1;
    await state.held;
    return found;
  };
  const add = (id: string, more: Partial<Integration> = {}) =>
    put(node.store, integrations, anIntegration({ clientId: clientId(id), ...more }));
  return { registry: new FollowedRegistry({ ...node.store, page }), state, add };
}

test('an integration is found that was added while others were looked for', async (t) => {
  const { registry, state, add } = await heldRegistry(t);
  const slow = Promise.withResolvers<void>();
  state.held = slow.promise;
  const early = registry.findIntegration('added-now');
  await eventually('the store is read', () => state.waiting === 1);
  state.held = undefined;
  await add('added-now');
  const late = registry.findIntegration('added-now');
  slow.resolve();
  await early;
  assert.equal((await late)?.clientId, 'added-now');
});

test('what a slow read brings is not used once a later read has finished', async (t) => {
  const { registry, state, add } = await heldRegistry(t);
  await add('till', { name: 'Old' });
  const slow = Promise.withResolvers<void>();
  state.held = slow.promise;
  const early = registry.refresh();
  await eventually('the store is read', () => state.waiting === 1);
  state.held = undefined;
  await add('till', { name: 'New' });
  await registry.refresh();
  slow.resolve();
  await early;
  assert.equal(registry.integration('till')?.name, 'New');
});

test('a read that failed fails those who asked for it, and not those who ask next', async (t) => {
  const { registry, state, add } = await heldRegistry(t);
  await add('till');
  state.isAway = true;
  const both = [registry.findIntegration('till'), registry.findIntegration('till')];
  for (const each of both) await assert.rejects(each, /away/);
  state.isAway = false;
  assert.equal((await registry.findIntegration('till'))?.clientId, 'till');
});
