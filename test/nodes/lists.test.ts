// Revocation lists of several nodes: one node fetches, all load the list from the store, and each verifies it.
// Only in test:all: revocation lists among nodes
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { sweep } from '../../src/operations/upkeep/sweep.ts';
import { SharedLists } from '../../src/store/shared-lists.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { listContents, revocationLists } from '../../src/store/tables/revocation-lists.ts';
import { largeList, largeSerial } from '../large-list.ts';
import { type Node, put } from '../node.ts';
import { approve, CRL_REQUIRED, NOW } from '../pki/approved.ts';
import { postgresDatabase } from '../store/postgres-database.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';
import { type ListNode, listNode } from './list-nodes.ts';
import { ACCEPTED, all, DAY, isoAt, listAt, type Open, REVOKED, renewed, root, scene, UNKNOWN } from './list-scene.ts';

function listsAmongNodes(open: Open): void {
  test('a list needed on every node at the same moment is fetched once', async (t) => {
    const { nodes, caller, server } = await scene(t, open);
    const callers = [...nodes, ...nodes, ...nodes];
    assert.deepEqual(new Set(await all(callers, (node) => node.ask(caller))), new Set([ACCEPTED]));
    assert.equal(server.requests, 1);
  });

  test('one node fetches per interval, and the others load the list from the store', async (t) => {
    const { nodes, caller, server, at } = await scene(t, open);
    await all(nodes, (node) => node.ask(caller));
    for (const round of [1, 2, 3]) {
      at(8 * round - 1);
      await all(nodes, (node) => node.renew());
      assert.equal(server.requests, round, 'none before it is due');
      at(8 * round);
      server.serve = listAt(8 * round, round === 3 ? [caller] : []);
      await renewed(nodes, server, round + 1);
      await all(nodes, (node) => node.renew());
      assert.equal(server.requests, round + 1);
    }
    assert.deepEqual(await all(nodes, (node) => node.ask(caller)), [REVOKED, REVOKED, REVOKED]);
    assert.equal(server.requests, 4);
  });

  test('a node that gets the lease after another node fetched the list does not fetch it again', async (t) => {
    const { database, nodes, caller, server, clock, issuers } = await scene(t, open);
    class Late extends SharedLists {
      override async byOne(url: string, work: () => Promise<unknown>): Promise<boolean> {
        await nodes[0].ask(caller);
        return super.byOne(url, work);
      }
    }
    const late = await listNode(database, clock, issuers, { exchange: (node) => new Late(node) });
    assert.equal(await late.ask(caller), ACCEPTED);
    assert.equal(server.requests, 1);
  });

  test('a node also applies lists that only callers of other nodes have named', async (t) => {
    const { nodes, caller, server, at } = await scene(t, open);
    const [first, second] = nodes;
    await first.ask(caller);
    await second.follow();
    at(8);
    server.serve = listAt(8, [caller]);
    await renewed([first], server, 2);
    await second.follow();
    assert.equal(second.judge.revocation.lists.length, 1);
    assert.equal(
      second.judge.revocation.revokingLists([approve(root, { revocation: CRL_REQUIRED })])[0]?.list.revoked.size,
      1,
    );
  });

  test('a starting node loads fresh lists from the store and fetches none of them', async (t) => {
    const { nodes, caller, server, at, start } = await scene(t, open);
    await nodes[0].ask(caller);
    server.serve = 503;
    at(7);
    const restarted = await start();
    await restarted.renew();
    assert.equal(await restarted.ask(caller), ACCEPTED);
    assert.equal(server.requests, 1);
  });

  test('a list of an intermediate is loaded from the store once a caller has sent the intermediate', async (t) => {
    const { server, at, start } = await scene(t, open);
    const below = root.makeIntermediate();
    const caller = below.issue({ extensions: [server.point] });
    const lists = [root.crl({ thisUpdate: '2026-11-15', nextUpdate: '2026-11-16' })];
    server.serve = below.crl({ thisUpdate: '2026-11-15', nextUpdate: '2026-11-16' });
    const ask = async (node: ListNode) => {
      node.judge.revocation.useFiles(lists); // the intermediate itself is not checked here
      return node.ask(caller);
    };
    assert.equal(await ask(await start()), ACCEPTED);
    at(1);
    const restarted = await start();
    await restarted.renew();
    assert.equal(restarted.judge.revocation.lists.length, 0, 'who signed it, it cannot know yet');
    assert.equal(await ask(restarted), ACCEPTED);
    assert.equal(server.requests, 1);
  });

  test('after a failed fetch one node retries after twice the time; the last list counts until it expires, then requests are refused', async (t) => {
    const { nodes, caller, server, clock, at } = await scene(t, open);
    await all(nodes, (node) => node.ask(caller));
    server.serve = 503;
    at(8);
    await renewed(nodes, server, 2);
    for (const [before, seconds] of [60, 120, 240].entries()) {
      clock.move(seconds - 1);
      await all(nodes, (node) => node.renew());
      assert.equal(server.requests, before + 2);
      clock.move(1);
      await renewed(nodes, server, before + 3);
    }
    assert.deepEqual(await all(nodes, (node) => node.ask(caller)), [ACCEPTED, ACCEPTED, ACCEPTED]);
    at(10.1);
    const before = server.requests;
    assert.deepEqual(await all(nodes, (node) => node.ask(caller)), [UNKNOWN, UNKNOWN, UNKNOWN]);
    assert.equal(server.requests, before + 1);
    assert.deepEqual(
      nodes.flatMap(({ refusals }) => refusals).filter((why) => why !== 'the response is HTTP 503'),
      [],
    );
    clock.move(960);
    server.serve = listAt(10);
    assert.deepEqual(await all(nodes, (node) => node.ask(caller)), [ACCEPTED, ACCEPTED, ACCEPTED]);
    assert.equal(server.requests, before + 2);
  });

  test('a node that cannot reach a list does not keep other nodes from fetching it', async (t) => {
    const { database, nodes, caller, server, clock, issuers } = await scene(t, open);
    const fetch = () => Promise.reject(new Error('no route'));
    const cutOff = await listNode(database, clock, issuers, { fetch });
    const [good] = nodes;
    assert.equal(await cutOff.ask(caller), UNKNOWN);
    assert.equal(await good.ask(caller), UNKNOWN);
    clock.move(60);
    await cutOff.renew(); // it would always be the first
    await renewed([good], server, 1);
    clock.move(30); // a refusal is cached for this long
    assert.deepEqual(await all([good, cutOff], (node) => node.ask(caller)), [ACCEPTED, ACCEPTED]);
    assert.deepEqual([server.requests, cutOff.refusals], [1, ['no response: no route']]);
  });

  test('after a failed first fetch no other node tries in the same minute, and after the second in the same two minutes', async (t) => {
    const { nodes, caller, server, clock } = await scene(t, open);
    server.serve = 404;
    assert.equal(await nodes[0].ask(caller), UNKNOWN);
    assert.deepEqual(await all(nodes, (node) => node.ask(caller)), [UNKNOWN, UNKNOWN, UNKNOWN]);
    assert.equal(server.requests, 1);
    clock.move(60);
    assert.equal(await nodes[0].ask(caller), UNKNOWN);
    clock.move(119);
    assert.deepEqual(await all(nodes, (node) => node.ask(caller)), [UNKNOWN, UNKNOWN, UNKNOWN]);
    assert.equal(server.requests, 2);
  });

  test('the store cannot delay a renewal beyond the end of the list', async (t) => {
    const { nodes, caller, server, at } = await scene(t, open);
    await nodes[0].ask(caller);
    const { found } = await nodes[0].store.load(revocationLists, server.url);
    assert.ok(found);
    await put(nodes[0].store, revocationLists, { ...found.row, renewAt: epochSeconds(NOW + 365 * DAY) });
    await all(nodes, (node) => node.follow());
    at(11);
    server.serve = listAt(11);
    assert.deepEqual(await all(nodes, (node) => node.ask(caller)), [ACCEPTED, ACCEPTED, ACCEPTED]);
    assert.equal(server.requests, 2);
  });

  test('a list is renewed as long as a grant from a certificate that names it may live, and no longer', async (t) => {
    const { nodes, caller, server, clock, start } = await scene(t, open);
    const [first, second] = nodes;
    const day = (days: number) => {
      clock.set(NOW + days * DAY);
      server.serve = listAt(days * 24, [], days % 256);
    };
    await first.ask(caller);
    day(200);
    await first.renew();
    await second.ask(caller);
    await second.follow(); // it shares that the list is still in use
    assert.equal(server.requests, 2);
    day(564);
    const restarted = await start();
    await restarted.renew();
    assert.equal(server.requests, 3, 'a grant of the two hundredth day may live still');
    day(565);
    const late = await start();
    await all([restarted, late], (node) => node.renew());
    assert.equal(server.requests, 3);
    assert.deepEqual([restarted.judge.revocation.lists, late.judge.revocation.lists], [[], []]);
  });

  test('no list is lost when the store goes down while lists are read', async (t) => {
    const { database, nodes, caller, server, clock, issuers, at } = await scene(t, open);
    await nodes[0].ask(caller);
    let isAway = false;
    const away = () => Promise.reject(new StoreUnavailable('away'));
    const exchange = (node: Node) =>
      new SharedLists({
        ...node,
        store: { ...node.store, page: (table, query) => (isAway ? away() : node.store.page(table, query)) },
      });
    const follower = await listNode(database, clock, issuers, { exchange });
    await follower.follow();
    at(8);
    server.serve = listAt(8, [caller]);
    await renewed([nodes[0]], server, 2);
    isAway = true;
    await assert.rejects(follower.follow(), StoreUnavailable);
    await follower.renew();
    assert.equal(follower.judge.revocation.lists.length, 1);
    isAway = false;
    await follower.follow();
    assert.equal(await follower.ask(caller), REVOKED);
    assert.equal(server.requests, 2);
  });

  test('a large list, too, is fetched once and loaded from the store by the others', async (t) => {
    const { nodes, caller, server, start } = await scene(t, open);
    const revoked = root.issue({ serial: largeSerial(7), extensions: [server.point] });
    server.serve = largeList(root, 20_000, { thisUpdate: isoAt(0), nextUpdate: isoAt(10), number: 1 });
    assert.equal(await nodes[0].ask(caller), ACCEPTED);
    await all(nodes, (node) => node.follow());
    assert.deepEqual(await all(nodes, (node) => node.ask(revoked)), [REVOKED, REVOKED, REVOKED]);
    assert.equal(await (await start()).ask(revoked), REVOKED);
    assert.equal(server.requests, 1);
    for (const { contents } of await nodes[0].store.page(listContents, { limit: 100 })) {
      assert.ok(contents.length <= 2 ** 18);
    }
  });

  test('lists of a withdrawn issuer are no longer fetched', async (t) => {
    const { nodes, caller, server, at } = await scene(t, open);
    const [first] = nodes;
    await first.ask(caller);
    await first.judge.revocation.followLists([]);
    at(9);
    await first.renew();
    assert.deepEqual(first.judge.revocation.lists, []);
    assert.equal(server.requests, 1);
    await first.follow();
    assert.equal(first.judge.revocation.lists.length, 1, 'approved again, it finds them in the store');
  });
}

suite('revocation lists shared by nodes on SQLite', () => listsAmongNodes((clock) => sqliteDatabase(clock.now)));
suite('revocation lists shared by nodes on PostgreSQL', () => listsAmongNodes(() => postgresDatabase()));

test('lists are swept a month after their last renewal, not before', async (t) => {
  const { nodes, caller, server, clock } = await scene(t, (moved) => sqliteDatabase(moved.now));
  const [node] = nodes;
  await node.ask(caller);
  const left = async () => [
    (await node.store.page(revocationLists, { limit: 10 })).length,
    (await node.store.page(listContents, { limit: 10 })).length,
  ];
  const nothing = async () => undefined;
  clock.move(29 * DAY);
  server.serve = 503;
  await node.renew();
  await sweep(node, nothing);
  assert.deepEqual(await left(), [1, 1]);
  clock.move(2 * DAY);
  await sweep(node, nothing);
  assert.deepEqual(await left(), [1, 0], 'what could not be fetched for a month');
  clock.move(30 * DAY);
  await sweep(node, nothing);
  assert.deepEqual(await left(), [0, 0]);
});
