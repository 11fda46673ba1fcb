import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptClock } from '../../../src/operations/admin/check-clock.ts';
import { readEvents, readNewEvents } from '../../../src/operations/admin/read-events.ts';
import { registerIntegration } from '../../../src/operations/admin/register-integration.ts';
import { OPERATOR } from '../../samples.ts';
import { administration } from './admin-samples.ts';

test('the newest events are read, or those after a number', async (t) => {
  const admin = await administration(t);
  for (const clientId of ['a', 'b', 'c']) await registerIntegration(clientId, { scope: 'x' }, admin);
  const sequences = async (draft: { after?: number; limit: number }) =>
    (await readEvents(draft, admin)).map(({ sequence }) => sequence);
  assert.deepEqual(await sequences({ limit: 2 }), [2, 3]);
  assert.deepEqual(await sequences({ after: 1, limit: 1 }), [2]);
});

test('a follower of a log that now ends earlier is refused: the store was restored from a copy', async (t) => {
  const admin = await administration(t);
  await registerIntegration('a', { scope: 'x' }, admin);
  const none = await readNewEvents({ after: 1, limit: 10, epoch: 1 }, admin);
  assert.deepEqual(none.ok && none.value, []);
  const refused = await readNewEvents({ after: 7, limit: 10, epoch: 1 }, admin);
  assert.deepEqual(refused.ok || refused.refusal, { reason: 'event-log-rolled-back', about: '7, and ends at 1 now' });
});

test('accepting the clock leaves an event with its author', async (t) => {
  const admin = await administration(t);
  await acceptClock(admin);
  const [event] = await admin.store.newestEvents({ count: 1 });
  assert.deepEqual(event?.detail, { kind: 'store', id: '', did: 'clock-accepted', by: OPERATOR });
});
