import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNewEvents, readOlderEvents } from '../../../src/operations/admin/acts/event.ts';
import { acceptClock } from '../../../src/operations/admin/check-clock.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { registerIntegration } from '../../administer.ts';
import { OPERATOR } from '../../samples.ts';
import { told } from '../../store/conformance/rows.ts';
import { administration } from './admin-samples.ts';

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
  assert.deepEqual(await readOlderEvents({ limit: 10, filter }, admin), { items: [], next: 2_001 });
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
});

test('accepting the clock leaves an event with its author', async (t) => {
  const admin = await administration(t);
  await acceptClock(admin);
  const [event] = await admin.store.newestEvents({ count: 1 });
  assert.deepEqual(event?.detail, { kind: 'store', id: '', did: 'clock-accepted', by: OPERATOR });
});
