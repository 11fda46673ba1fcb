// What looks like a database that was put back, and is none: no node may stop for it.
// Only in test:all: databases that are put back
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { epochSeconds } from '../../src/core/time.ts';
import { enableIntegration } from '../../src/operations/admin/acts/work/integration.ts';
import { watchedStore } from '../../src/operations/upkeep/event-watch.ts';
import { RecentActs } from '../../src/operations/upkeep/recent-acts.ts';
import { storeOf } from '../../src/store/change.ts';
import { type Store, StoreUnavailable } from '../../src/store/store.ts';
import { HistoryInDoubt, readHistory } from '../../src/store/tables/store-history.ts';
import { aNode, answer, check, issue, type Node, revoke } from '../node.ts';
import { aGrant, CLIENT, OPERATOR } from '../samples.ts';
import { openAt } from '../store/postgres-node.ts';
import { PostgresServer } from '../store/postgres-server.ts';
import { watching } from './put-back.ts';

const server = await PostgresServer.start();
after(() => server.remove());
let made = 0;

async function onDatabase(work: (node: Node, url: string) => Promise<void>): Promise<void> {
  const name = `quiet_${++made}`;
  await server.query(`CREATE DATABASE ${name}`);
  const url = server.url(name);
  const store = storeOf(await openAt(url));
  await work(await aNode(store), url);
  await store.close();
}

/** As another session that has drawn a number above `last` and has not ended. */
async function heldBack(url: string, last: number, work: () => Promise<void>): Promise<void> {
  const writer = new pg.Client({ connectionString: url });
  await writer.connect();
  await writer.query(`BEGIN; SELECT pg_advisory_xact_lock_shared(${0x7e55e2}, ${last})`);
  await work();
  await writer.end();
}

const watch = { admit: () => undefined, look: async () => undefined };

/** An act of this node, which its watched store remembers. */
async function disableAndEnable(store: Store): Promise<void> {
  for (const enabled of [false, true]) await enableIntegration(CLIENT, enabled, { store, by: OPERATOR });
}

test('the newest event, while an earlier number is still being written', () =>
  onDatabase(async ({ store, ...node }, url) => {
    const { watch, noticed } = watching(store);
    for (let n = 0; n < 3; n++) await issue({ ...node, store });
    await watch.look();
    const { drawn } = await store.eventProgress();
    await heldBack(url, drawn - 2, () => watch.look());
    assert.deepEqual(noticed, []);
  }));

test('acts behind a number that is still being written, and acts that are made meanwhile', () =>
  onDatabase(async ({ store }, url) => {
    const acts = new RecentActs({
      load: (table, key) => store.load(table, key),
      events: async (query) => {
        const events = await store.events(query);
        if (acts.era !== undefined && !query.acts) await disableAndEnable(watched);
        return events;
      },
    });
    const watched = watchedStore(store, watch, acts);
    const { readable } = await store.eventProgress();
    await acts.follow(readable, undefined);
    await disableAndEnable(watched);
    await heldBack(url, readable, async () => assert.deepEqual(await acts.lost(), []));
  }));

test('a log whose last event was swept', () =>
  onDatabase(async (node) => {
    const { watch, noticed, acts } = watching(node.store);
    await watch.look();
    await disableAndEnable(node.store);
    await watch.look();
    await node.store.sweepEvents(epochSeconds(2 ** 40), 100);
    assert.deepEqual(await node.store.newestEvents({ count: 1 }), []);
    await watch.look();
    assert.deepEqual([noticed, await acts.lost()], [[], []]);
  }));

test('a revocation whose event alone was removed', () =>
  onDatabase(async (node, url) => {
    const { watch, acts } = watching(node.store);
    const pair = await issue(node);
    await watch.look();
    await revoke(node, pair);
    await issue(node);
    await watch.look();
    await server.query("DELETE FROM events WHERE type = 'revoked'", new URL(url).pathname.slice(1));
    assert.deepEqual(await acts.lost(), []);
  }));

test('an old primary that lags behind for a moment before it is fenced', () =>
  onDatabase(async ({ store }) => {
    let origin = 'old';
    const behind: Store = {
      ...store,
      origin: () => origin,
      change: (table, key, decide) => {
        if (origin === 'old') throw new StoreUnavailable('is read-only');
        return store.change(table, key, decide);
      },
    };
    const { watch } = watching(behind);
    await watch.look();
    await assert.rejects(watch.explainLoss(aGrant()), HistoryInDoubt, 'a token is newer than the old server');
    assert.throws(watch.admit, HistoryInDoubt);
    origin = 'new';
    await watch.look();
    watch.admit();
    assert.equal((await readHistory(store)).rollback, undefined);
  }));

test('a restart of the server', () =>
  onDatabase(async (node) => {
    const { watch, noticed, acts } = watching(node.store);
    const store = watchedStore(node.store, watch, acts);
    const pair = await issue(node);
    await watch.look();
    await revoke({ ...node, store }, pair);
    await server.stop();
    await server.launch();
    const living = await issue(node).catch(() => issue(node));
    assert.throws(watch.admit, HistoryInDoubt, 'it may have been put back meanwhile');
    assert.equal(await answer(check({ ...node, store }, living)), 'accepted', 'a request waits for the comparison');
    assert.deepEqual(noticed, []);
  }));
