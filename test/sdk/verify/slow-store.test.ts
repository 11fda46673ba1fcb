// A verifier follows streams of the real service, whose store is slow to answer: what it knows then, and what it says about it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { verifier } from '../../../sdk/verify/src/verify.ts';
import { FeedStreams } from '../../../src/doors/oauth/feed-streams.ts';
import { newestPosition } from '../../../src/operations/feed/cursor.ts';
import { FeedTail } from '../../../src/operations/feed/feed-tail.ts';
import type { FeedStore } from '../../../src/operations/feed/read-feed.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { eventually } from '../../eventually.ts';
import { onSqlite } from '../../operations/on-sqlite.ts';
import { aResourceServer } from '../../samples.ts';
import { FakeService } from './fake-service.ts';

const GRANT = 'a'.repeat(32);
/** What docs/revocation-feed.md promises. */
const FRESH_MS = 2_000;

async function scene(t: TestContext) {
  const { store } = (await onSqlite(t)).node;
  const state = { slowBy: 0 };
  const slow: FeedStore = {
    ...store,
    events: async (query) => {
      const found = await store.events(query);
      await pause(state.slowBy);
      return found;
    },
  };
  const streams = new FeedStreams(new FeedTail(slow), slow);
  const service = await FakeService.start();
  service.now = Date.now() / 1000;
  const from = await newestPosition(store);
  service.instead.set('/feed', (response) => {
    const isStream = response.req.headers.accept === 'text/event-stream';
    const snapshot = { cursor: 'c', audience: service.audience, entries: [service.integration] };
    const reply = { raw: response, hijack: () => undefined } as unknown as FastifyReply;
    if (isStream) void streams.open(reply, aResourceServer(), from, async () => true);
    else response.writeHead(200).end(JSON.stringify(snapshot));
  });
  const { now: _, ...options } = service.options;
  const guard = await verifier(options);
  t.after(async () => {
    guard.close();
    await service.leave();
  });
  const end = () =>
    store.change(integrations, 'none', (_, at) => ({
      outcome: undefined,
      events: [{ type: 'revoked', detail: { reason: 'by-caller' }, at, subjectId: GRANT }],
    }));
  return { service, guard, state, end };
}

test('a verifier that says it is fresh accepts no token that was revoked two seconds ago, however slow the store is', async (t) => {
  const { service, guard, state, end } = await scene(t);
  const token = await service.jwt({ jti: `${GRANT}.0` });
  assert.equal((await guard.check(token)).ok, true);
  assert.equal(guard.isFresh, true);
  state.slowBy = 3_500;
  await pause(200); // a look has begun
  await end();
  service.active.delete(token);
  const ended = performance.now();
  let accepted = 0;
  for (let isKnown = false; !isKnown; await pause(5)) {
    const isLate = performance.now() - ended > FRESH_MS;
    const { isFresh } = guard;
    const checked = await guard.check(token);
    if (isFresh && isLate && checked.ok) accepted += 1;
    isKnown = !checked.ok && checked.description === 'The grant of this token has ended.';
    state.slowBy = performance.now() - ended > 3_000 ? 0 : state.slowBy;
  }
  assert.equal(accepted, 0);
  await eventually('it is fresh again', () => guard.isFresh);
});
