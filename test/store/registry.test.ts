import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FollowedRegistry, SharedQuery } from '../../src/store/registry.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { clientId } from '../e2e/service.ts';
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

test('the list of integrations is the same one until an integration changes', async (t) => {
  const { node } = await onSqlite(t);
  const before = node.registry.integrations;
  await node.registry.refresh();
  assert.equal(node.registry.integrations, before);
  await put(node.store, integrations, anIntegration({ name: 'Another' }));
  await node.registry.refresh();
  assert.notEqual(node.registry.integrations, before);
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

test('a query begins after the call, also if another is running', async () => {
  const begun: (() => void)[] = [];
  let store = 'before';
  const query = new SharedQuery(async () => {
    const seen = store;
    await new Promise<void>((resolve) => begun.push(resolve));
    return seen;
  });
  const first = query.run();
  while (begun.length === 0) await new Promise(setImmediate);
  store = 'after';
  const second = query.run();
  begun[0]?.();
  assert.equal(await first, 'before');
  while (begun.length === 1) await new Promise(setImmediate);
  begun[1]?.();
  assert.equal(await second, 'after');
});

test('a failed query fails its callers, and not those of the next', async () => {
  const results = [Promise.reject(new Error('away')), Promise.resolve('there')];
  results[0]?.catch(() => undefined);
  const query = new SharedQuery(() => results.shift() ?? assert.fail('a third query'));
  await assert.rejects(Promise.all([query.run(), query.run()]), /away/);
  assert.equal(await query.run(), 'there');
});
