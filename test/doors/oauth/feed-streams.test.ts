// Streams of the revocation feed on one listener: what they send, and what ends them.
// Own process: memory is searched, which takes long in a process that other files have filled.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { queryObjects } from 'node:v8';
import type { FastifyReply } from 'fastify';
import type { Hex } from '../../../src/core/hex.ts';
import type { ResourceServer } from '../../../src/core/resource-server.ts';
import { FeedStream } from '../../../src/doors/oauth/feed-stream.ts';
import { FeedStreams } from '../../../src/doors/oauth/feed-streams.ts';
import { acceptRollback } from '../../../src/operations/admin/after-restore.ts';
import { dropOldSecret, makeResourceServerSecret } from '../../../src/operations/admin/secrets.ts';
import { newestPosition, type Position } from '../../../src/operations/feed/cursor.ts';
import { FeedTail } from '../../../src/operations/feed/feed-tail.ts';
import type { FeedStore } from '../../../src/operations/feed/read-feed.ts';
import type { Store } from '../../../src/store/store.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { HISTORY, storeHistory } from '../../../src/store/tables/store-history.ts';
import { systemRandom } from '../../../src/system.ts';
import { eventually } from '../../eventually.ts';
import { onSqlite } from '../../operations/on-sqlite.ts';
import { aResourceServer, OPERATOR } from '../../samples.ts';

interface Stream {
  readonly grants: readonly string[];
  readonly text: string;
  readonly isOpen: boolean;
  /** Before its request was sent (`performance.now`). */
  readonly asked: number;
  close(): void;
}

/** Two stores, one of which is in use: the other one is what a backup has. */
async function scene(t: TestContext, lookMs = 20) {
  const [store, other] = [(await onSqlite(t)).node.store, (await onSqlite(t)).node.store];
  let current: Store = store;
  /** `held`: the last answers of a look wait for it. */
  const state = { isAway: false, held: Promise.resolve(), waiting: 0, queries: 0, sent: [] as number[] };
  const use = <T>(read: (from: Store) => Promise<T>) => {
    state.queries += 1;
    return state.isAway ? Promise.reject(new Error('the store is away')) : read(current);
  };
  const hold = async <T>(found: T): Promise<T> => {
    state.waiting += 1;
    await state.held;
    state.waiting -= 1;
    return found;
  };
  const feedStore: FeedStore = {
    now: () => use((from) => from.now()),
    newestEvents: (query) => use((from) => from.newestEvents(query)),
    eventProgress: () => use((from) => from.eventProgress()),
    load: (table, key) => use((from) => from.load(table, key)).then(hold),
    page: (table, query) => use((from) => from.page(table, query)),
    events: async (query) => {
      const found = await use((from) => from.events(query));
      if (query.limit > 1) state.sent.push(...found.map(({ sequence }) => sequence)); // not those that are compared only
      return found;
    },
  };
  const server = aResourceServer({ secrets: [{ hash: 'aa' as Hex, createdAt: await store.now() }] });
  for (const each of [store, other])
    await each.change(resourceServers, server.id, () => ({ outcome: undefined, next: server }));
  const streams = new FeedStreams(new FeedTail(feedStore, lookMs), feedStore);
  const follow = await followerOf(t, streams);
  return {
    store,
    other,
    state,
    server,
    restoreOther: () => {
      current = other;
    },
    here: () => newestPosition(feedStore),
    follow: (from: Position, as: ResourceServer = server) => follow(from, as),
  };
}

async function followerOf(t: TestContext, streams: FeedStreams) {
  const wanted = new Map<string, { readonly from: Position; readonly as: ResourceServer }>();
  const service = createServer((asked: IncomingMessage, raw: ServerResponse) => {
    const found = wanted.get(asked.url ?? '');
    const reply = { raw, hijack: () => undefined } as unknown as FastifyReply;
    if (found) streams.open(reply, found.as, found.from, async () => true).catch(() => raw.writeHead(503).end());
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  t.after(() => {
    service.closeAllConnections();
    service.close();
  });
  return async (from: Position, as: ResourceServer): Promise<Stream> => {
    const path = `/${wanted.size}`;
    wanted.set(path, { from, as });
    const asked = performance.now();
    const asking = request({ port: (service.address() as AddressInfo).port, host: '127.0.0.1', path }).end();
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    const stream = { grants: [] as string[], text: '', isOpen: true, asked, close: () => void response.destroy() };
    response.setEncoding('utf8').on('data', (text: string) => {
      stream.text += text;
      stream.grants = [...stream.text.matchAll(/"grant":"([0-9a-f]+)"/g)].map(([, grant]) => grant ?? '');
    });
    response.on('error', () => undefined);
    response.once('close', () => {
      stream.isOpen = false;
    });
    return stream;
  };
}

const grant = (n: number, digit: string) => n.toString(16).padStart(32, digit);

async function end(store: Store, ...grants: readonly string[]): Promise<void> {
  await store.change(integrations, 'none', (_, at) => ({
    outcome: undefined,
    events: grants.map((subjectId) => ({ type: 'revoked', detail: { reason: 'by-caller' }, at, subjectId })),
  }));
}

/** What each `caught-up` says, in milliseconds since the follower sent its request. */
const caughtUpTo = ({ text }: Pick<Stream, 'text'>) =>
  [...text.matchAll(/event: caught-up\ndata: {"type":"caught-up","until":(-?\d+)}\n\n/g)].map(([, until]) =>
    Number(until),
  );
const hasCaughtUp = (stream: Stream) => caughtUpTo(stream).length > 0;

suite('caught-up', () => {
  test('comes after all that was missed', async (t) => {
    const { store, follow, here } = await scene(t);
    const from = await here();
    const missed = Array.from({ length: 1_000 }, (_, n) => grant(n, 'a'));
    await end(store, ...missed);
    const stream = await follow(from);
    await eventually('it has caught up', () => hasCaughtUp(stream));
    const before = stream.text.slice(0, stream.text.indexOf('event: caught-up'));
    for (const each of missed) assert.ok(before.includes(each), `${each} came too late`);
  });

  test('comes after all that was committed before the stream was opened, also if nobody has read it yet', async (t) => {
    const { store, follow, here } = await scene(t, 600_000);
    const from = await here();
    const first = await follow(from);
    await eventually('it has caught up', () => hasCaughtUp(first));
    await end(store, grant(1, 'a'));
    const second = await follow(from);
    await eventually('it has caught up', () => hasCaughtUp(second));
    assert.deepEqual(second.grants, [grant(1, 'a')]);
  });

  test('never comes if the place to begin at is not in this history: the stream ends', async (t) => {
    const { store, follow, here } = await scene(t);
    await end(store, grant(1, 'a'));
    const stream = await follow({ ...(await here()), mark: '0'.repeat(16) });
    await eventually('the stream is over', () => !stream.isOpen);
    assert.equal(hasCaughtUp(stream), false);
  });

  test('comes at once if nothing was missed', async (t) => {
    const { follow, here } = await scene(t);
    const stream = await follow(await here());
    await eventually('it has caught up', () => hasCaughtUp(stream));
    assert.deepEqual(stream.grants, []);
  });
});

suite('what caught-up says', () => {
  test('grows by half seconds while nothing happens', async (t) => {
    const { follow, here } = await scene(t);
    const began = performance.now();
    const stream = await follow(await here());
    await eventually('it was said four times', () => caughtUpTo(stream).length >= 4);
    const said = caughtUpTo(stream);
    assert.ok((said.at(-1) ?? 0) < performance.now() - began);
    const steps = said.slice(1).map((until, n) => until - (said[n] ?? 0));
    assert.ok(
      steps.every((step) => step >= 200),
      `${steps}`,
    );
  });

  test('is never later than a revocation that has not been sent, however slow the store is', async (t) => {
    const { store, state, follow, here } = await scene(t);
    const stream = await follow(await here());
    await eventually('it has caught up', () => hasCaughtUp(stream));
    for (let n = 0; n < 2; n++) {
      const slow = Promise.withResolvers<void>();
      state.held = slow.promise;
      await eventually('a look has begun', () => state.waiting > 0);
      await end(store, grant(n, 'a'));
      const committed = performance.now() - stream.asked;
      await new Promise((resolve) => setTimeout(resolve, 500)); // longer than the stream took to open
      state.held = Promise.resolve();
      slow.resolve();
      await eventually('it is streamed', () => stream.grants.includes(grant(n, 'a')));
      const before = stream.text.slice(0, stream.text.indexOf(grant(n, 'a')));
      assert.ok((caughtUpTo({ text: before }).at(-1) ?? 0) <= committed);
    }
  });
});

suite('a store that was put back', () => {
  test('ends every stream; what is sent then is of the new history, although its numbers are those of the old', async (t) => {
    const { store, other, restoreOther, follow, here } = await scene(t);
    const [first, second] = [await follow(await here()), await follow(await here())];
    const old = Array.from({ length: 14 }, (_, n) => grant(n, 'a'));
    for (const each of old) {
      await end(store, each);
      await eventually('it is streamed', () => [first, second].every(({ grants }) => grants.includes(each)));
    }
    restoreOther();
    await eventually('the streams are over', () => !first.isOpen && !second.isOpen);
    const again = await follow(await here());
    await eventually('it has caught up', () => hasCaughtUp(again));
    const young = Array.from({ length: 14 }, (_, n) => grant(n, 'b'));
    for (const each of young) {
      await end(other, each);
      await eventually(`${each} is streamed`, () => again.grants.length > 0 && again.grants.includes(each));
    }
    assert.deepEqual(again.grants, young);
  });

  test('while nobody followed: what is sent then is of the new history, too', async (t) => {
    const { store, other, restoreOther, follow, here } = await scene(t);
    const stream = await follow(await here());
    await end(store, grant(1, 'a'));
    await eventually('it is streamed', () => stream.grants.includes(grant(1, 'a')));
    stream.close();
    await eventually('nobody follows', () => !stream.isOpen);
    await new Promise((resolve) => setTimeout(resolve, 100));
    restoreOther();
    const again = await follow(await here());
    await end(other, grant(1, 'b'));
    await eventually('it is streamed', () => again.grants.length > 0);
    assert.deepEqual(again.grants, [grant(1, 'b')]);
  });

  test('ends every stream before it sends anything of the new history, although that is longer', async (t) => {
    const { store, other, restoreOther, follow, here } = await scene(t);
    const stream = await follow(await here());
    await end(store, grant(1, 'a'));
    await eventually('it is streamed', () => stream.grants.includes(grant(1, 'a')));
    for (let n = 0; n < 20; n++) await end(other, grant(n, 'b'));
    restoreOther();
    await eventually('the stream is over', () => !stream.isOpen);
    assert.deepEqual(stream.grants, [grant(1, 'a')]);
  });

  test('that an operator accepted ends every stream, also of followers that had seen nothing that was lost', async (t) => {
    const { store, follow, here } = await scene(t);
    const stream = await follow(await here());
    await eventually('it has caught up', () => hasCaughtUp(stream));
    await store.change(storeHistory, HISTORY, (_, noticedAt) => ({
      outcome: undefined,
      next: { epoch: 1, rollback: { noticedAt, seen: 9, found: 5, lost: [], unlisted: 0 } },
    }));
    await acceptRollback({ store, by: OPERATOR });
    await eventually('the stream is over', () => !stream.isOpen);
  });
});

test('what is new is read from the store once, however many follow, and nothing while nobody follows', async (t) => {
  const { store, state, follow, here } = await scene(t);
  const from = await here();
  state.isAway = true;
  const early = await follow(from);
  await eventually('there is no stream without a store', () => !early.isOpen);
  state.isAway = false;
  const followers = await Promise.all(Array.from({ length: 50 }, () => follow(from)));
  await eventually('all have caught up', () => followers.every(hasCaughtUp));
  state.sent = [];
  await end(store, grant(1, 'a'));
  await eventually('all have it', () => followers.every(({ grants }) => grants.length === 1));
  assert.equal(state.sent.length, 1);
  for (const follower of followers) follower.close();
  await eventually('the store is left alone', async () => {
    const { queries } = state;
    await new Promise((resolve) => setTimeout(resolve, 200)); // ten looks
    return state.queries === queries;
  });
});

test('streams end while the store cannot be read: silence would mean that nothing has changed', async (t) => {
  const { state, follow, here } = await scene(t);
  const stream = await follow(await here());
  await eventually('it has caught up', () => hasCaughtUp(stream));
  state.isAway = true;
  await eventually('the stream is over', () => !stream.isOpen);
});

test('streams that followers have closed take no memory', async (t) => {
  const { follow, here } = await scene(t);
  const inMemory = () => queryObjects(FeedStream, { format: 'count' });
  const before = inMemory(); // of other tests
  assert.ok(before < 50, `${before} streams`);
  const from = await here();
  const followers = await Promise.all(Array.from({ length: 50 }, () => follow(from)));
  for (const follower of followers) follower.close();
  await eventually('none of them is in memory', () => inMemory() <= before);
});

suite('a resource server', () => {
  const ports = (store: Store) => ({ store, by: OPERATOR, random: systemRandom, ourIssuer: '', issuer: '' });

  test('gets another secret: its streams stay. The old one is dropped: they end', async (t) => {
    const { store, server, follow, here } = await scene(t);
    const stream = await follow(await here());
    assert.ok((await makeResourceServerSecret(server.id, { replaces: false }, ports(store))).ok);
    await end(store, grant(1, 'a'));
    await eventually('it goes on', () => stream.grants.length === 1);
    assert.equal(stream.isOpen, true);
    assert.ok((await dropOldSecret(server.id, ports(store))).ok);
    await eventually('the stream is over', () => !stream.isOpen);
  });

  test('no longer speaks by its identity: its streams end', async (t) => {
    const { store, server, follow, here } = await scene(t);
    const identity = 'local:ada' as NonNullable<ResourceServer['identity']>;
    const spoken = { ...server, identity };
    await store.change(resourceServers, server.id, () => ({ outcome: undefined, next: spoken }));
    const stream = await follow(await here(), spoken);
    await eventually('it has caught up', () => hasCaughtUp(stream));
    await store.change(resourceServers, server.id, (_, at) => ({
      outcome: undefined,
      next: server,
      events: [
        {
          type: 'administered',
          at,
          detail: { kind: 'resource-server', id: server.id, did: 'changed', changed: {}, by: OPERATOR },
        },
      ],
    }));
    await eventually('the stream is over', () => !stream.isOpen);
  });
});
