import assert from 'node:assert/strict';
import type { DeviceId } from '../../../src/core/device.ts';
import type { BackEnd } from '../../../src/store/back-end.ts';
import { storeOf } from '../../../src/store/change.ts';
import { insert } from '../../../src/store/store.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { devices } from '../../../src/store/tables/devices.ts';
import { sessions } from '../../../src/store/tables/sessions.ts';
import { eventually } from '../../eventually.ts';
import { aDevice, NOW, PASSWORD_PROOF } from '../../samples.ts';
import type { Claim } from '../conformance.ts';
import { commitOf, counter, countOf, eventSubjects, put, revisionOf, told } from './rows.ts';

export function atomicity(claim: Claim): void {
  claim('a change, its inserts and its events commit together', async ({ backEnd }) => {
    const outcome = await storeOf(backEnd).change(attempts, 'a', () => ({
      outcome: 'done',
      next: counter('a', 1),
      inserts: [insert(attempts, counter('b', 2)), insert(attempts, counter('c', 3))],
      events: [told(1), told(2)],
    }));
    assert.equal(outcome, 'done');
    assert.deepEqual(await state(backEnd), { counts: [1, 2, 3], told: [1, 2] });
  });

  claim('a changed revision is a conflict, and nothing is written', async (database) => {
    const backEnd = await twoRows(await database.open());
    const swap = { table: attempts, row: counter('a', 9), expected: 1 };
    const moved = commitOf({ swaps: [swap], inserts: [insert(attempts, counter('c'))], events: [told(1)] });
    assert.equal(await backEnd.commit(moved), false);
    assert.deepEqual(await state(backEnd), { counts: [0, 0, undefined], told: [] });
  });

  claim('an insert of an existing row is a conflict, and nothing is written', async (database) => {
    const backEnd = await twoRows(await database.open());
    const swap = { table: attempts, row: counter('a', 9), expected: undefined };
    assert.equal(await backEnd.commit(commitOf({ swaps: [swap], events: [told(1)] })), false);
    assert.deepEqual(await state(backEnd), { counts: [0, 0, undefined], told: [] });
  });

  claim('an insert conflict rolls back the swap and the earlier inserts', async (database) => {
    const backEnd = await twoRows(await database.open());
    const swap = { table: attempts, row: counter('a', 9), expected: await revisionOf(backEnd, attempts, 'a') };
    const inserts = [insert(attempts, counter('c', 9)), insert(attempts, counter('b', 9))];
    assert.equal(await backEnd.commit(commitOf({ swaps: [swap], inserts, events: [told(1)] })), false);
    assert.deepEqual(await state(backEnd), { counts: [0, 0, undefined], told: [] });
  });

  claim('a duplicate unique value is a conflict', async ({ backEnd }) => {
    await put(storeOf(backEnd), devices, aDevice());
    const taken = aDevice({ id: 'ff'.repeat(16) as DeviceId });
    const swap = { table: devices, row: taken, expected: undefined };
    assert.equal(await backEnd.commit(commitOf({ swaps: [swap], events: [told(1)] })), false);
    assert.equal(await revisionOf(backEnd, devices, taken.id), undefined);
    assert.deepEqual(await eventSubjects(backEnd), []);
  });

  claim('a decision that throws changes nothing', async (database) => {
    const backEnd = await twoRows(await database.open());
    const decide = () => {
      throw new Error('no decision');
    };
    await assert.rejects(storeOf(backEnd).change(attempts, 'a', decide), /no decision/);
    assert.deepEqual(await state(backEnd), { counts: [0, 0, undefined], told: [] });
  });

  claim('a decision without changes writes nothing', async (database) => {
    const backEnd = await twoRows(await database.open());
    const before = await revisionOf(backEnd, attempts, 'a');
    assert.equal(await storeOf(backEnd).change(attempts, 'a', () => ({ outcome: 'as it was' })), 'as it was');
    assert.equal(await revisionOf(backEnd, attempts, 'a'), before);
  });

  claim('a failing commit does not affect others in its batch', async ({ backEnd }) => {
    const orphan = {
      id: 'aa'.repeat(32),
      identityId: 'local:00',
      createdAt: NOW,
      seenAt: NOW,
      endsAt: NOW,
      proof: PASSWORD_PROOF,
    };
    const faulty = commitOf({ inserts: [{ table: sessions, row: orphan }], events: [told(99)] });
    const good = [1, 2, 3].map((n) => commitOf({ inserts: [insert(attempts, counter(`${n}`))], events: [told(n)] }));
    const commits = [good[0], faulty, good[1], good[2]].map((commit) => backEnd.commit(commit ?? faulty));
    const results = await Promise.allSettled(commits);
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'fault')),
      [true, 'fault', true, true],
    );
    // Readers stop at a commit until it is known to have failed.
    await eventually('readers see three events', async () => (await eventSubjects(backEnd)).length >= 3);
    assert.deepEqual(new Set(await eventSubjects(backEnd)), new Set([1, 2, 3]));
  });
}

async function twoRows(backEnd: BackEnd): Promise<BackEnd> {
  for (const about of ['a', 'b']) await put(storeOf(backEnd), attempts, counter(about));
  return backEnd;
}

async function state(backEnd: BackEnd): Promise<{ counts: (number | undefined)[]; told: number[] }> {
  const counts = await Promise.all(['a', 'b', 'c'].map((about) => countOf(backEnd, about)));
  return { counts, told: await eventSubjects(backEnd) };
}
