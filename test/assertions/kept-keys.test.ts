// The keys of token issuers in memory and in the store: rotation, outages, several nodes.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { suite, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { IssuerKeys } from '../../src/assertions/issuer-keys.ts';
import type { KeySet } from '../../src/assertions/key-set.ts';
import type { KeySource } from '../../src/core/key-source.ts';
import { ALONE } from '../../src/outbound/shared-download.ts';
import { storeOf } from '../../src/store/change.ts';
import { sharedKeySets } from '../../src/store/shared-lists.ts';
import { eventually } from '../eventually.ts';
import { TestClock } from '../node.ts';
import { aTokenIssuer, DISCOVERY, keySetOf } from '../platform.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';

import { fetching, platformForTests, tokenIssuerAt } from './platform-for-tests.ts';

const at = platformForTests();
const tokenIssuer = (keys?: Partial<KeySource>) => tokenIssuerAt(at.server.url, keys);

/** Nodes on one store, as in a cluster, with a clock that the test moves. */
async function cluster(t: TestContext, count = 1) {
  const clock = new TestClock();
  const database = await sqliteDatabase(clock.now);
  t.after(() => database.remove());
  const failures: string[] = [];
  const nodes: IssuerKeys[] = [];
  for (let n = 0; n < count; n++) {
    const exchange = sharedKeySets({ store: storeOf(await database.open()) });
    const logFailure = (_: string, why: string) => void failures.push(why);
    nodes.push(new IssuerKeys({ fetch: fetching(), now: clock.now, exchange, logFailure }));
  }
  const issuer = tokenIssuer();
  const [node] = nodes as [IssuerKeys];
  const publishes = async (keys: IssuerKeys) => (await keys.keysOf(issuer))?.text;
  return { clock, nodes, node, issuer, failures, publishes };
}

const fetches = () => at.server.asked.filter((path) => path === '/jwks').length;

suite('keys in memory', () => {
  test('are fetched once for 64 requests that arrive before them', async (t) => {
    const { node, issuer } = await cluster(t);
    const sets = await Promise.all(Array.from({ length: 64 }, () => node.keysOf(issuer)));
    assert.equal(new Set(sets).size, 1);
    assert.equal(sets[0]?.text, keySetOf(at.first));
    assert.equal(fetches(), 1);
    const alone = new IssuerKeys({ fetch: fetching(), now: new TestClock().now });
    await Promise.all(Array.from({ length: 64 }, () => alone.keysOf(issuer)));
    assert.equal(fetches(), 2, 'also if no other node shares them');
  });

  test('are fetched by one of three nodes, and shared', async (t) => {
    const { nodes, publishes } = await cluster(t, 3);
    assert.deepEqual(await Promise.all(nodes.map(publishes)), Array(3).fill(keySetOf(at.first)));
    assert.equal(fetches(), 1);
  });

  test('are renewed in the background after 10 minutes, by one node for all', async (t) => {
    const { nodes, issuer, clock, publishes } = await cluster(t, 2);
    await Promise.all(nodes.map(publishes));
    clock.move(599);
    await Promise.all(nodes.map((node) => node.renewAll([issuer])));
    await Promise.all(nodes.map(publishes));
    assert.equal(fetches(), 1, 'requests use those that are known');
    at.server.keys = [at.first, at.second];
    clock.move(1);
    await Promise.all(nodes.map((node) => node.renewAll([issuer])));
    assert.equal(fetches(), 2);
    assert.deepEqual(await Promise.all(nodes.map(publishes)), Array(2).fill(keySetOf(at.first, at.second)));
  });

  test('are fetched at once if one is not known, once for all who wait', async (t) => {
    const { node, issuer } = await cluster(t);
    await node.keysOf(issuer);
    at.server.keys = [at.first, at.second];
    const newest = await Promise.all(Array.from({ length: 64 }, () => node.newestKeys(issuer)));
    assert.deepEqual([...new Set(newest.map((set) => set?.text))], [keySetOf(at.first, at.second)]);
    assert.equal(fetches(), 2);
  });

  test('that another node has just fetched are not fetched again', async (t) => {
    const { nodes, issuer } = await cluster(t, 2);
    await Promise.all(nodes.map((each) => each.keysOf(issuer)));
    at.server.keys = [at.first, at.second];
    for (const each of nodes) assert.equal((await each.newestKeys(issuer))?.text, keySetOf(at.first, at.second));
    assert.equal(fetches(), 2);
  });

  test('whoever asks during a fetch gets the next one: the first may have been answered before', async (t) => {
    const { node, issuer, publishes } = await cluster(t);
    await node.keysOf(issuer);
    let late: Promise<KeySet | undefined> | undefined;
    at.server.odd.set('/jwks', (response) => {
      at.server.odd.clear();
      const before = keySetOf(at.first);
      at.server.keys = [at.second];
      late = node.newestKeys(issuer);
      setTimeout(() => response.end(before), 100); // long enough for another request, which must not be sent yet
    });
    assert.equal((await node.newestKeys(issuer))?.text, keySetOf(at.first));
    assert.equal((await late)?.text, keySetOf(at.second));
    assert.equal(await publishes(node), keySetOf(at.second), 'the newer response is kept');
  });

  test('are fetched five times in a row, then once in 10 seconds: made-up kids cause no more requests', async (t) => {
    const { node, issuer, clock } = await cluster(t);
    await node.keysOf(issuer);
    const ask = async () => (await node.newestKeys(issuer)) !== undefined;
    for (let n = 0; n < 100; n++) assert.equal(await ask(), n < 5);
    assert.equal(fetches(), 6);
    clock.move(9);
    assert.equal(await ask(), false);
    clock.move(1);
    assert.deepEqual([await ask(), await ask()], [true, false]);
    clock.move(3600);
    for (let n = 0; n < 100; n++) await ask();
    assert.equal(fetches(), 12);
    clock.move(-7200);
    assert.equal(await ask(), false);
    clock.move(10);
    assert.equal(await ask(), true, 'a clock that was set back delays it no longer');
  });

  test('that cannot be fetched, or not soon enough, are not the newest', async (t) => {
    const { node, issuer, publishes } = await cluster(t);
    await publishes(node);
    for (const status of [404, 500]) {
      at.server.odd.set('/jwks', (response) => void response.writeHead(status).end());
      assert.equal(await node.newestKeys(issuer), undefined);
    }
    at.server.odd.set('/jwks', (response) => void response.end('<html>'));
    assert.equal(await node.newestKeys(issuer), undefined);
    assert.equal(await publishes(node), keySetOf(at.first), 'those known are used');
    const slow: ServerResponse[] = [];
    at.server.odd.set('/jwks', (response) => void slow.push(response));
    const waiting = Array.from({ length: 64 }, () => node.newestKeys(issuer));
    let isTurnedAway = false;
    void node.newestKeys(issuer).then((set) => {
      isTurnedAway = set === undefined;
    });
    await nextTurn();
    assert.ok(isTurnedAway, 'a slow token issuer does not take all slots');
    await eventually('it was asked', () => slow.length > 0);
    slow[0]?.destroy();
    assert.deepEqual(await Promise.all(waiting), Array(64).fill(undefined));
  });

  test('that another node is fetching are awaited for 12 seconds; a store that fails later ends nothing', async (t) => {
    const other = Promise.withResolvers<boolean>();
    const exchange = { ...ALONE, byOne: () => other.promise };
    const node = new IssuerKeys({ fetch: fetching(), now: new TestClock().now, exchange });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let keys: KeySet | 'none' | undefined;
    void node.keysOf(tokenIssuer()).then((found) => {
      keys = found ?? 'none';
    });
    for (const [ms, expected] of [
      [11_999, undefined],
      [1, 'none'],
    ] as const) {
      await nextTurn();
      t.mock.timers.tick(ms);
      await nextTurn();
      assert.equal(keys, expected);
    }
    other.reject(new Error('the store is away'));
    await nextTurn(); // an unhandled rejection would end the process
  });

  test('that the token issuer withdrew are not used after 10 minutes; that it has none is an answer', async (t) => {
    const { node, issuer, clock, failures, publishes } = await cluster(t);
    await publishes(node);
    at.server.keys = [];
    clock.move(600);
    await node.renewAll([issuer]);
    assert.equal(await publishes(node), '{"keys":[]}');
    assert.deepEqual(failures, ['it publishes no key for signatures']);
    assert.equal((await node.newestKeys(issuer))?.isEmpty, true);
    at.server.keys = [at.second];
    assert.equal((await node.newestKeys(issuer))?.text, keySetOf(at.second));
  });

  for (const [what, answer] of [
    ['HTTP 404', (response: ServerResponse) => void response.writeHead(404).end()],
    ['not a JSON Web Key Set', (response: ServerResponse) => void response.end('{}')],
  ] as const) {
    test(`are trusted for 24 hours if the answer is ${what}, and no longer`, async (t) => {
      const { node, clock, publishes } = await cluster(t);
      await publishes(node);
      at.server.odd.set('/jwks', answer);
      clock.move(86_399);
      assert.equal(await publishes(node), keySetOf(at.first));
      clock.move(1);
      assert.equal(await publishes(node), undefined);
    });
  }

  test('are trusted for 24 hours if the token issuer is away, and no longer', async (t) => {
    const { node, issuer, clock, failures, publishes } = await cluster(t);
    await publishes(node);
    at.server.odd.set(DISCOVERY, (response) => void response.writeHead(503).end());
    clock.move(86_399);
    await node.renewAll([issuer]);
    assert.equal(await publishes(node), keySetOf(at.first));
    assert.match(failures.join(), /HTTP 503/);
    clock.move(1);
    assert.equal(await publishes(node), undefined);
    assert.match(node.failureOf(issuer) ?? '', /HTTP 503/);
    const attempts = () => at.server.asked.filter((path) => path === DISCOVERY).length;
    const before = attempts();
    clock.move(60);
    await node.renewAll([issuer]);
    assert.deepEqual([attempts(), failures.length], [before + 1, 1], 'logged once, not on every attempt');
    at.server.odd.clear();
    clock.move(60);
    assert.equal(await publishes(node), keySetOf(at.first));
    at.server.odd.set(DISCOVERY, (response) => void response.writeHead(503).end());
    clock.move(600);
    await node.renewAll([issuer]);
    assert.equal(failures.length, 2, 'the next time that it is away');
  });

  test('are renewed at once if the clock was set back by more than a minute', async (t) => {
    const { node, issuer, clock, publishes } = await cluster(t);
    await publishes(node);
    clock.move(-60);
    await node.renewAll([issuer]);
    assert.equal(fetches(), 1);
    clock.move(-1);
    await node.renewAll([issuer]);
    assert.equal(fetches(), 2);
  });

  test('of a restarted node come from the store while the token issuer is away', async (t) => {
    const { nodes, publishes } = await cluster(t, 2);
    await publishes(nodes[0] as IssuerKeys);
    at.server.odd.set(DISCOVERY, (response) => void response.writeHead(503).end());
    assert.equal(await publishes(nodes[1] as IssuerKeys), keySetOf(at.first));
  });

  test('that were fetched under other settings are not used', async (t) => {
    const { node, publishes } = await cluster(t);
    await publishes(node);
    const moved = tokenIssuer({ from: 'url', url: `${at.server.url}/other` });
    assert.equal(await node.keysOf(moved), undefined);
  });

  test('of a file need no request', async (t) => {
    const { node } = await cluster(t);
    const issuer = aTokenIssuer({ keys: { from: 'file', set: keySetOf(at.second) } });
    assert.equal((await node.keysOf(issuer))?.text, keySetOf(at.second));
    for (let n = 0; n < 7; n++) assert.equal((await node.newestKeys(issuer))?.text, keySetOf(at.second), 'any number');
    assert.deepEqual(at.server.asked, []);
  });

  test('of a token issuer that was removed are forgotten', async (t) => {
    const { node, issuer, clock } = await cluster(t);
    const before = await node.keysOf(issuer);
    await node.renewAll([]);
    at.server.keys = [at.second];
    clock.move(60);
    assert.notEqual((await node.keysOf(issuer))?.text, before?.text);
  });
});
