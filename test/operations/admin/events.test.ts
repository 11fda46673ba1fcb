import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '../../../src/core/event.ts';
import { epochSeconds } from '../../../src/core/time.ts';
import {
  eventsOfRequest,
  readNewEvents,
  readOlderEvents,
  timelineOf,
} from '../../../src/operations/admin/acts/work/event.ts';
import { acceptClock } from '../../../src/operations/admin/check-clock.ts';
import type { LoggedEvent } from '../../../src/store/store.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { refusalCounts } from '../../../src/store/tables/figures.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { nodes } from '../../../src/store/tables/leases.ts';
import { storeHistory } from '../../../src/store/tables/store-history.ts';
import { act, registerIntegration } from '../../administer.ts';
import { ADA, anIdentity, CLIENT, hexOf, NOW, OPERATOR } from '../../samples.ts';
import { later, put, told } from '../../store/conformance/rows.ts';
import { withTurns } from '../../turns.ts';
import { administration } from './admin-samples.ts';

type Admin = Awaited<ReturnType<typeof administration>>;

const write = (events: readonly Event[], { store }: Admin) =>
  store.change(attempts, 'none', () => ({ outcome: undefined, events }));

async function itemsOf<T>(name: Parameters<typeof act>[0], query: object, admin: Admin & object) {
  const done = await act(name, { query }, admin);
  return done.ok ? (done.value.value as { items: T[] }).items : done.refusal;
}

test('the newest events are read, or those after a number', async (t) => {
  const admin = await administration(t);
  for (const clientId of ['a', 'b', 'c']) await registerIntegration(clientId, { scope: 'x' }, admin);
  const newest = await readOlderEvents({ limit: 2 }, admin);
  assert.deepEqual([newest.items.map(({ sequence }) => sequence), newest.next], [[2, 3], 2]);
  const oldest = await readOlderEvents({ before: 2, limit: 2 }, admin);
  assert.deepEqual([oldest.items.map(({ sequence }) => sequence), oldest.next], [[1], undefined]);
  const following = await readNewEvents({ after: 1, limit: 1, epoch: 1 }, admin);
  assert.deepEqual(following.ok && following.value.items.map(({ sequence }) => sequence), [2]);
});

test('a page of a filter that nothing passes reads 10,000 events, and says where the next one begins', async (t) => {
  const admin = await administration(t);
  const events = Array.from({ length: 1000 }, (_, n) => told(n));
  for (let n = 0; n < 12; n++) await admin.store.change(attempts, 'none', () => ({ outcome: undefined, events }));
  const filter = { requestId: 'none' };
  const following = await readNewEvents({ after: 0, limit: 10, filter }, admin);
  assert.deepEqual(following.ok && following.value, { items: [], next: 10_000 });
  const [older, turns] = await withTurns(readOlderEvents({ limit: 10, filter }, admin));
  assert.deepEqual(older, { items: [], next: 2_001 });
  assert.ok(turns >= 10, 'other requests are answered meanwhile');
  assert.deepEqual(await readOlderEvents({ limit: 10, filter, before: 2_001 }, admin), { items: [] });
  const full = await readNewEvents({ after: 0, limit: 10, filter: { type: 'spent' } }, admin);
  assert.deepEqual(full.ok && [full.value.items.length, full.value.next], [10, 10]);
});

test('a follower of a log that now ends earlier is refused: the store was restored from a copy', async (t) => {
  const admin = await administration(t);
  await registerIntegration('a', { scope: 'x' }, admin);
  const none = await readNewEvents({ after: 1, limit: 10, epoch: 1 }, admin);
  assert.deepEqual(none.ok && none.value, { items: [] });
  const refused = await readNewEvents({ after: 7, limit: 10, epoch: 1 }, admin);
  assert.deepEqual(refused.ok || refused.refusal, { reason: 'event-log-rolled-back', about: '7, and ends at 1 now' });
  const rollback = { seen: 9, found: 1, noticedAt: NOW, lost: [] } as never;
  await put(admin.store, storeHistory, { epoch: 1, rollback });
  const unaccepted = await readNewEvents({ after: 1, limit: 10, epoch: 1 }, admin);
  assert.deepEqual(unaccepted.ok || unaccepted.refusal.about, '9 when a node noticed it');
});

test('accepting the clock leaves an event with its author', async (t) => {
  const admin = await administration(t);
  await acceptClock(admin);
  const [event] = await admin.store.newestEvents({ count: 1 });
  assert.deepEqual(event?.detail, { kind: 'store', id: '', did: 'clock-accepted', by: OPERATOR });
});

test('operators select events by who, what and when', async (t) => {
  const admin = await administration(t);
  await put(admin.store, identities, anIdentity());
  const by = { as: 'identity', id: ADA, proof: 'passkey' } as const;
  const [identityId, clientId, requestId] = ['corp:1', CLIENT, 'r1'];
  await write(
    [
      { type: 'spent', at: NOW, identityId: ADA, requestId },
      { type: 'spent', at: later(NOW, 100), clientId, requestId: 'r2' },
      { type: 'revoked', at: later(NOW, 200), identityId, detail: { reason: 'by-operator', by } },
      { type: 'administered', at: later(NOW, 300), detail: { kind: 'issuer', id: 'corp', did: 'withdrawn', by } },
      { type: 'administered', at: later(NOW, 400), detail: { kind: 'store', id: '', did: 'taken-back', by: OPERATOR } },
      { type: 'retried', at: later(NOW, 400), detail: { firstAddress: ADA, firstAgent: '', alarm: true } },
    ],
    admin,
  );
  admin.pass(400);
  const cases: [query: object, expected: unknown][] = [
    [{}, [1, 2, 3, 4, 5, 6]],
    [{ identity: 'ada' }, [1]],
    [{ by: 'ada' }, [3, 4]],
    [{ by: 'ada', type: 'revoked' }, [3]],
    [{ integration: CLIENT }, [2]],
    [{ requestId }, [1]],
    [{ about: 'corp' }, [4]],
    [{ type: 'administered' }, [4, 5]],
    [{ within: 100 }, [4, 5, 6]],
    [{ from: '2027-01-15T08:01:40Z' }, [2, 3, 4, 5, 6]],
    [{ from: '2027-01-15T10:05+02:00' }, [4, 5, 6]],
    [{ from: '2027-01-15T08:05', within: 0 }, [4, 5, 6]],
    [{ from: '2027-01-15', to: '2027-01-15T08:03:20' }, [1, 2]],
    [{ from: '2027-01-16' }, []],
    [{ identity: 'eve' }, { reason: 'identity-unknown', about: 'eve' }],
    [{ by: 'eve' }, { reason: 'identity-unknown', about: 'eve' }],
  ];
  for (const text of ['yesterday', '2027-13-01'])
    for (const bound of ['from', 'to']) {
      const about = `${text} is not a date such as 2026-11-18 or 2026-11-18T03:00Z`;
      cases.push([{ [bound]: text }, { reason: 'object-malformed', about }]);
    }
  for (const [query, expected] of cases)
    for (const start of [{}, { after: 0 }]) {
      const found = await itemsOf<LoggedEvent>('event-list', { ...query, ...start }, admin);
      const numbers = Array.isArray(found) ? found.map(({ sequence }) => sequence) : found;
      assert.deepEqual(numbers, expected, JSON.stringify({ ...query, ...start }));
    }
});

test('without a limit, 100 events are listed, with the number of the next page and of the epoch', async (t) => {
  const admin = await administration(t);
  await write(
    Array.from({ length: 101 }, (_, n) => told(n)),
    admin,
  );
  const done = await act('event-list', { query: {} }, admin);
  const { items, ...rest } = done.ok ? (done.value.value as { items: LoggedEvent[] }) : assert.fail();
  assert.deepEqual([items.length, rest], [100, { next: '2', epoch: 1 }]);
  const last = await act('event-list', { query: { before: 2 } }, admin);
  assert.deepEqual(last.ok && Object.keys(last.value.value as object), ['items', 'epoch']);
  const refused = await act('event-list', { query: { after: 0, epoch: 2 } }, admin);
  assert.equal(refused.ok || refused.refusal.reason, 'event-log-rolled-back');
});

test('operators select refusals by integration, identity and reason, the latest first', async (t) => {
  const admin = await administration(t);
  await put(admin.store, identities, anIdentity());
  const reasons = ['grant-revoked', 'grant-expired', 'grant-revoked'];
  for (const [n, reason] of reasons.entries()) {
    const [clientId, identityId] = [n < 2 ? CLIENT : '', n > 0 ? ADA : ''];
    const times = { count: 1, first: NOW, last: later(NOW, n), lastRequestId: `r${n}` };
    await put(admin.store, refusalCounts, { key: `${n}`, clientId, identityId, reason, ...times });
  }
  const found = async (query: object) => {
    const items = await itemsOf<{ lastRequestId: string }>('refusal-list', query, admin);
    return Array.isArray(items) ? items.map(({ lastRequestId }) => lastRequestId) : items.reason;
  };
  assert.deepEqual(await found({}), ['r2', 'r1', 'r0']);
  assert.deepEqual(await found({ integration: CLIENT }), ['r1', 'r0']);
  assert.deepEqual(await found({ identity: 'ada' }), ['r2', 'r1']);
  assert.deepEqual(await found({ reason: 'grant-revoked' }), ['r2', 'r0']);
  assert.deepEqual(await found({ identity: 'ada', reason: 'grant-revoked' }), ['r2']);
  assert.equal(await found({ identity: 'eve' }), 'identity-unknown');
});

test('a node is listed until its last report ends', async (t) => {
  const admin = await administration(t);
  await put(admin.store, nodes, { name: 'one', keys: [], endsAt: later(NOW, 10) });
  admin.pass(9);
  assert.deepEqual(await itemsOf('node-list', {}, admin), [{ name: 'one', until: '2027-01-15T08:00:10Z' }]);
  admin.pass(1);
  assert.deepEqual(await itemsOf('node-list', {}, admin), []);
});

/** One event a second, 12,000 in all, which counts how often the log is read. Event n + 1 is of second n. */
async function longLog(t: Parameters<typeof administration>[0], more: Readonly<Record<number, Partial<Event>>> = {}) {
  const admin = await administration(t);
  const events = Array.from({ length: 12_000 }, (_, n) => ({ ...told(n), at: later(NOW, n), ...more[n] }) as Event);
  for (let n = 0; n < 12; n++) await write(events.slice(1000 * n, 1000 * (n + 1)), admin);
  const { store } = admin;
  const reads = { older: 0, newer: 0 };
  const newestEvents: typeof store.newestEvents = (query) => {
    reads.older++;
    return store.newestEvents(query);
  };
  const readPages: typeof store.events = (query) => {
    if (query.limit > 1) reads.newer++;
    return store.events(query);
  };
  return { admin: { ...admin, store: { ...store, newestEvents, events: readPages } }, reads };
}

test('of a long log, only the wanted time is read', async (t) => {
  const requestId = 'seldom';
  const seldom = [100, 200, 1500, 1600, 2500].map((n) => [n, { requestId }]);
  const { admin, reads } = await longLog(t, Object.fromEntries(seldom));
  const numbers = ({ items }: { items: readonly LoggedEvent[] }) => items.map(({ sequence }) => sequence);
  const [type, limit, none] = ['spent', 2, { requestId: 'none' }] as const;
  const at = (second: number) => later(NOW, second);
  assert.deepEqual(numbers(await readOlderEvents({ limit, filter: { type, until: at(6000) } }, admin)), [5999, 6000]);
  const older = await readOlderEvents({ limit, filter: { ...none, until: at(11_000) } }, admin);
  assert.deepEqual(older, { items: [], next: 2_000 });
  const newer = await readNewEvents({ after: 0, limit, filter: { type, since: at(6000) } }, admin);
  assert.deepEqual(newer.ok && numbers(newer.value), [6001, 6002]);
  const following = await readNewEvents({ after: 0, limit, filter: { ...none, since: at(1500) } }, admin);
  assert.deepEqual(following.ok && following.value, { items: [], next: 10_500 });
  const filter = { requestId };
  assert.deepEqual(numbers(await readOlderEvents({ before: 3000, limit: 2, filter }, admin)), [1601, 2501]);
  const first = await readNewEvents({ after: 0, limit: 3, filter }, admin);
  assert.deepEqual(first.ok && [numbers(first.value), first.value.next], [[101, 201, 1501], 1501]);
  const end = await readNewEvents({ after: 12_000, limit, filter: {} }, admin);
  assert.deepEqual(end.ok && end.value, { items: [] });
  for (const filter of [{ identityId: ADA }, { by: ADA }, { about: 'corp' }, { type: 'revoked' }] as const) {
    const found = await readNewEvents({ after: 0, limit, filter }, admin);
    assert.deepEqual(found.ok && found.value, { items: [] }, `by an index: ${Object.keys(filter)}`);
  }
  reads.older = 0;
  assert.deepEqual(await readOlderEvents({ before: 1500, limit, filter: none }, admin), { items: [] });
  assert.equal(reads.older, 2);
  // Clocks of nodes may differ by a minute.
  for (const [since, pages] of [
    [10_060, 3],
    [10_061, 2],
  ] as const) {
    reads.older = 0;
    assert.deepEqual(await readOlderEvents({ limit, filter: { ...none, since: at(since) } }, admin), { items: [] });
    assert.equal(reads.older, pages, `since ${since}`);
  }
  for (const [until, pages] of [
    [938, 1],
    [939, 2],
  ] as const) {
    reads.newer = 0;
    const found = await readNewEvents({ after: 0, limit, filter: { ...none, until: at(until) } }, admin);
    assert.deepEqual(found.ok && found.value, { items: [] });
    assert.equal(reads.newer, pages, `until ${until}`);
  }
});

test('the events of a request are found by the time in its id, or else at the end of the log', async (t) => {
  const idOf = (second: number) => `${later(NOW, second).toString(16)}00000001`;
  const [early, wrong] = [idOf(100), idOf(101)];
  const { admin, reads } = await longLog(t, {
    100: { requestId: early },
    11900: { requestId: wrong },
    11901: { requestId: 'of 0.2' },
  });
  const found = async (id: string) => (await eventsOfRequest(id, admin)).map(({ sequence }) => sequence);
  assert.deepEqual(await found(early), [101]);
  assert.deepEqual(await found(wrong), [11_901]);
  assert.deepEqual(await found('of 0.2'), [11_902]);
  for (const [second, pages] of [
    [878, 1],
    [879, 2],
  ] as const) {
    reads.newer = 0;
    await found(idOf(second));
    assert.equal(reads.newer, pages, `of second ${second}`);
  }
  let pages = 0;
  const events: typeof admin.store.events = async ({ after, limit }) => {
    if (limit > 1) pages++;
    return Array.from({ length: limit }, (_, n) => ({ ...told(n), sequence: after + n + 1 }));
  };
  await eventsOfRequest(idOf(100), { store: { ...admin.store, events } });
  assert.equal(pages, 60, 'of a time with very many events');
});

test('the timeline of a grant has its events since it was made, at most the newest 1,000', async (t) => {
  const admin = await administration(t);
  const id = hexOf(16, 1);
  const event = (n: number): Event => ({ ...told(0), identityId: ADA, subjectId: id, at: epochSeconds(NOW + n) });
  await write([{ ...event(-1) }, { ...event(5), subjectId: hexOf(16, 2) }, event(0), event(1)], admin);
  const grant = { id, identityId: ADA, createdAt: '2027-01-15T08:00:00Z' };
  assert.deepEqual(
    (await timelineOf(grant, admin)).map(({ sequence }) => sequence),
    [3, 4],
  );
  await write(
    Array.from({ length: 999 }, (_, n) => event(n)),
    admin,
  );
  const all = await timelineOf(grant, admin);
  assert.deepEqual([all.length, all[0]?.sequence], [1000, 4]);
});
