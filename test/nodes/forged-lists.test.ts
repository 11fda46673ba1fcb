// Revocation lists that somebody forged or damaged, in the store or on the way: no node uses them.
// Only in test:all: revocation lists among nodes
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { listContents, revocationLists } from '../../src/store/tables/revocation-lists.ts';
import { makeAuthority } from '../authority.ts';
import { postgresDatabase } from '../store/postgres-database.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';
import type { ListNode } from './list-nodes.ts';
import { all, listAt, type Open, REVOKED, renewed, scene } from './list-scene.ts';

function forgedLists(open: Open): void {
  const namesake = makeAuthority({ name: 'Root' });
  const damaged = (list: Uint8Array) => Uint8Array.from(list, (octet, index) => (index === 60 ? octet ^ 1 : octet));
  const forgeries: readonly (readonly [what: string, contents: Uint8Array, why: RegExp])[] = [
    ['signed by a namesake', namesake.crl({ number: 99, nextUpdate: '2027-01-01' }), /not signed by the issuer/],
    ['damaged', damaged(listAt(2)), /cannot be read|not signed/],
    ['that is none', Buffer.from('no list'), /no CRL in PEM or DER/],
    ['from the past', listAt(-2, [], 0), /older/],
  ];
  for (const [what, contents, why] of forgeries) {
    test(`a list in the store ${what} is refused by nodes that run, and replaced when it is due`, async (t) => {
      const { nodes, caller, server, at } = await scene(t, open);
      server.serve = listAt(0, [caller]);
      assert.deepEqual(await all(nodes, (node) => node.ask(caller)), [REVOKED, REVOKED, REVOKED]);
      await tamper(nodes[0], server.url, contents);
      await all(nodes, (node) => node.follow());
      assert.deepEqual(await all(nodes, (node) => node.ask(caller)), [REVOKED, REVOKED, REVOKED]);
      assert.match(nodes[1].refusals.join(), why);
      assert.equal(server.requests, 1);
      at(8);
      server.serve = listAt(8, [caller]);
      await renewed(nodes, server, 2);
      assert.deepEqual(await contentsAt(nodes[0], server.url), Buffer.from(server.serve));
    });

    test(`a list from the network ${what} is refused, and the one before it stays in force`, async (t) => {
      const { nodes, caller, server, at } = await scene(t, open);
      const good = listAt(0, [caller]);
      server.serve = good;
      await all(nodes, (node) => node.ask(caller));
      server.serve = contents;
      at(8);
      await renewed(nodes, server, 2);
      assert.deepEqual(await all(nodes, (node) => node.ask(caller)), [REVOKED, REVOKED, REVOKED]);
      assert.match(nodes.flatMap(({ refusals }) => refusals).join(), why);
      assert.deepEqual(await contentsAt(nodes[0], server.url), Buffer.from(good));
    });
  }

  test('a starting node refuses a tampered list in the store, fetches a new one and stores it', async (t) => {
    const { nodes, caller, server, start } = await scene(t, open);
    server.serve = listAt(0, [caller]);
    await nodes[0].ask(caller);
    for (const [, contents] of forgeries.slice(0, 3)) {
      const before = server.requests;
      await tamper(nodes[0], server.url, contents);
      const restarted = await start();
      assert.equal(restarted.judge.revocation.lists.length, 0);
      assert.equal(await restarted.ask(caller), REVOKED);
      assert.equal(server.requests, before + 1);
      assert.equal(await (await start()).ask(caller), REVOKED);
      assert.equal(server.requests, before + 1);
    }
  });
}

async function contentsAt({ store }: ListNode, url: string): Promise<Buffer | undefined> {
  const { found } = await store.load(listContents, url);
  return found && Buffer.from(found.row.contents);
}

/** Like an attacker who can write to the store. */
async function tamper({ store }: ListNode, url: string, contents: Uint8Array): Promise<void> {
  await store.change(listContents, url, (found) => {
    assert.ok(found);
    return { outcome: undefined, next: { ...found.row, contents } };
  });
  await store.change(revocationLists, url, (found) => {
    assert.ok(found);
    return { outcome: undefined, next: { ...found.row, mark: '00'.repeat(32) } };
  });
}

suite('forged revocation lists and nodes on SQLite', () => forgedLists((clock) => sqliteDatabase(clock.now)));
suite('forged revocation lists and nodes on PostgreSQL', () => forgedLists(() => postgresDatabase()));
