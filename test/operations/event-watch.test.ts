// What a node does about a store that another server serves, or that was put back. The stores are SQLite files; which one is asked, and its server, are the test's own.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { enableIntegration } from '../../src/operations/admin/acts/work/integration.ts';
import { acceptRollback } from '../../src/operations/admin/after-restore.ts';
import { isInLog } from '../../src/operations/feed/cursor.ts';
import { firstPage } from '../../src/operations/feed/read-feed.ts';
import { revokeById } from '../../src/operations/grant/revoke-grant.ts';
import { watchedStore } from '../../src/operations/upkeep/event-watch.ts';
import type { Store } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { acceptance, HISTORY, HistoryInDoubt, storeHistory } from '../../src/store/tables/store-history.ts';
import { put } from '../node.ts';
import { watching } from '../nodes/put-back.ts';
import { aGrant, CLIENT, NOW, OPERATOR } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const grant = aGrant();

/** `takeOvers`: how often another server takes over while a node compares. */
async function takenOver(t: TestContext, takeOvers: number) {
  const { store } = (await onSqlite(t)).node;
  let [server, coming] = [0, 0];
  const served: Store = {
    ...store,
    origin: () => `server ${server}`,
    newestEvents: (query) => {
      if (coming-- > 0) server++;
      return store.newestEvents(query);
    },
  };
  const { watch, acts } = watching(served);
  await watch.look();
  server++;
  coming = takeOvers;
  return watchedStore(served, watch, acts);
}

suite('a request after another server took over', () => {
  test('waits for the comparison, and for a second one if yet another took over meanwhile', async (t) => {
    for (const takeOvers of [0, 1]) await (await takenOver(t, takeOvers)).load(grants, grant.id);
  });

  test('is refused if they never stop', async (t) => {
    const store = await takenOver(t, 2);
    await assert.rejects(store.load(grants, grant.id), HistoryInDoubt);
  });
});

test('a follower of the revocation feed is sent nothing while the store may have lost revocations', async (t) => {
  const [newer, older] = [(await onSqlite(t)).node.store, (await onSqlite(t)).node.store];
  for (const store of [newer, older]) {
    await put(store, grants, grant);
    await enableIntegration(CLIENT, false, { store, by: OPERATOR });
  }
  let current = newer;
  const served: Store = {
    ...newer,
    origin: () => (current === newer ? 'newer' : 'older'),
    load: (table, key) => current.load(table, key),
    page: (table, query) => current.page(table, query),
    events: (query) => current.events(query),
    newestEvents: (query) => current.newestEvents(query),
    eventProgress: () => current.eventProgress(),
    change: (table, key, decide) => current.change(table, key, decide),
    changeAll: (rows, decide) => current.changeAll(rows, decide),
  };
  const { watch, acts } = watching(served);
  const store = watchedStore(served, watch, acts);
  await watch.look();
  await revokeById(grant.id, 'by-caller', { store });
  const { from } = await firstPage(store);
  assert.equal(await isInLog(from, store), true);
  current = older;
  await assert.rejects(firstPage(store), HistoryInDoubt);
  await assert.rejects(isInLog(from, store), HistoryInDoubt);
  await acceptRollback({ store, by: OPERATOR });
  await watch.look();
  assert.equal(await isInLog(from, store), false);
  assert.ok(await firstPage(store));
});

for (const moment of ['before this node looks', 'while this node notices it'])
  test(`revocations that the store lost are made again if others accept the rollback ${moment}`, async (t) => {
    const [newer, older] = [(await onSqlite(t)).node.store, (await onSqlite(t)).node.store];
    for (const store of [newer, older]) {
      await put(store, grants, grant);
      await enableIntegration(CLIENT, false, { store, by: OPERATOR });
    }
    const accept = () =>
      older.change(storeHistory, HISTORY, () => ({ outcome: 0, next: { epoch: 2, rollback: undefined } }));
    let current = newer;
    const { watch } = watching({
      ...newer,
      load: (table, key) => current.load(table, key),
      events: (query) => current.events(query),
      newestEvents: (query) => current.newestEvents(query),
      eventProgress: () => current.eventProgress(),
      page: (table, query) => current.page(table, query),
      changeAll: (rows, decide) => current.changeAll(rows, decide),
      change: async (table, key, decide) => {
        if ((table as unknown) === storeHistory) await accept();
        return current.change(table, key, decide);
      },
    });
    await watch.look();
    await revokeById(grant.id, 'by-caller', { store: newer });
    await watch.look();
    if (moment.startsWith('before')) await accept();
    current = older;
    await watch.look();
    const { found } = await older.load(grants, grant.id);
    assert.equal(found?.row.revoked?.reason, 'by-caller');
  });

test('a token that is newer than its row is explained by a rollback that was accepted after it was issued', async (t) => {
  const { store } = (await onSqlite(t)).node;
  const { watch } = watching(store);
  await watch.look();
  await put(store, attempts, acceptance(NOW, 2));
  await watch.explainLoss(grant);
  assert.equal(watch.problem, undefined);
  const later = aGrant({ createdAt: (NOW + 1) as never, pair: { ...grant.pair, issuedAt: (NOW + 1) as never } });
  await assert.rejects(watch.explainLoss(later), HistoryInDoubt);
});
