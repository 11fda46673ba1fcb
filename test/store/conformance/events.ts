import assert from 'node:assert/strict';
import { acted, type Event } from '../../../src/core/event.ts';
import { presenter } from '../../../src/core/presenter.ts';
import type { BackEnd } from '../../../src/store/back-end.ts';
import { ADA, CLIENT, NOW, OPERATOR } from '../../samples.ts';
import type { Claim } from '../conformance.ts';
import { commitOf, eventSubjects, later, told } from './rows.ts';

const WRITERS = 8;
const EACH = 25;

export function events(claim: Claim): void {
  claim('an event is read as it was written', async ({ backEnd }) => {
    const full: Event = {
      type: 'retried',
      at: NOW,
      clientId: CLIENT,
      identityId: ADA,
      subjectId: 'ab'.repeat(16),
      presenter: presenter('192.0.2.7', 'curl/8 (x; y)'),
      requestId: '0123456789abcdef',
      detail: { firstAddress: '192.0.2.8', firstAgent: 'a\0b "ü" \ud83d\ude00', alarm: true },
    };
    const bare: Event = { type: 'spent', at: NOW };
    const act = acted({ kind: 'key', id: '2', did: 'minting', before: 1 }, { at: NOW, by: OPERATOR });
    await tell(backEnd, full, bare, act);
    const read = await backEnd.events({ after: 0, limit: 10 });
    const expected = [full, bare, act].map((event, n) => ({ ...event, sequence: read[n]?.sequence }));
    assert.deepEqual(read, expected);
  });

  claim('events are read in commit order, from a cursor, up to a limit', async ({ backEnd }) => {
    for (let n = 1; n <= 12; n++) await tell(backEnd, told(n));
    assert.deepEqual(
      await eventSubjects(backEnd),
      Array.from({ length: 12 }, (_, n) => n + 1),
    );
    const first = await backEnd.events({ after: 0, limit: 5 });
    const rest = await backEnd.events({ after: first.at(-1)?.sequence ?? 0, limit: 100 });
    assert.deepEqual([first.length, rest.length], [5, 7]);
    assert.ok(rest.every(({ sequence }) => sequence > (first.at(-1)?.sequence ?? 0)));
  });

  claim('events can be read for one identity', async ({ backEnd }) => {
    await tell(backEnd, { ...told(1), identityId: ADA }, told(2), { ...told(3), identityId: 'local:00' });
    await tell(backEnd, { ...told(4), identityId: ADA });
    const ofAda = await backEnd.events({ after: 0, limit: 10, identityId: ADA });
    assert.deepEqual(
      ofAda.map(({ subjectId }) => Number.parseInt(subjectId ?? '', 16)),
      [1, 4],
    );
  });

  claim('the newest events, of all or of one identity, are returned oldest first', async ({ backEnd }) => {
    assert.deepEqual(await backEnd.newestEvents({ count: 3 }), []);
    for (let n = 1; n <= 6; n++) await tell(backEnd, { ...told(n), ...(n % 3 === 1 && { identityId: ADA }) });
    const log = await backEnd.events({ after: 0, limit: 10 });
    assert.deepEqual(await backEnd.newestEvents({ count: 3 }), log.slice(-3));
    assert.deepEqual(await backEnd.newestEvents({ count: 10 }), log);
    assert.deepEqual(await backEnd.newestEvents({ count: 1, identityId: ADA }), [log[3]]);
    assert.deepEqual(await backEnd.newestEvents({ count: 10, identityId: ADA }), [log[0], log[3]]);
  });

  claim('acts are read apart from other events, forwards and backwards', async ({ backEnd }) => {
    const ended = { type: 'revoked', detail: { reason: 'by-caller' } } as const;
    const act = acted({ kind: 'key', id: '2', did: 'added' }, { at: NOW, by: OPERATOR });
    const changes = [{}, ended, { type: 'refreshed' }, act, { type: 'refreshed' }, ended] as const;
    for (const [n, change] of changes.entries()) await tell(backEnd, { ...told(n), ...change } as Event);
    const log = await backEnd.events({ after: 0, limit: 10 });
    const acts = [log[1], log[3], log[5]];
    assert.deepEqual(await backEnd.events({ after: 0, limit: 10, acts: true }), acts);
    assert.deepEqual(await backEnd.events({ after: log[1]?.sequence ?? 0, limit: 1, acts: true }), [log[3]]);
    assert.deepEqual(await backEnd.newestEvents({ count: 2, acts: true }), acts.slice(1));
    const before = log[5]?.sequence ?? 0;
    assert.deepEqual(await backEnd.newestEvents({ count: 10, acts: true, before }), acts.slice(0, 2));
    assert.deepEqual(await backEnd.newestEvents({ count: 2, before }), log.slice(3, 5));
  });

  claim('a reader of two writing nodes misses no event and sees none twice', async (database) => {
    const [one, other, reader] = [await database.open(), await database.open(), await database.open()];
    const writing = { now: true };
    const seen = follow(reader, writing);
    await Promise.all(Array.from({ length: WRITERS }, (_, n) => writeOneByOne(n % 2 ? one : other, n * EACH)));
    writing.now = false;
    const subjects = await seen;
    assert.equal(subjects.length, WRITERS * EACH);
    assert.equal(new Set(subjects).size, WRITERS * EACH);
    assert.deepEqual(subjects, await eventSubjects(one), 'in the same order for everyone');
  });

  claim('events older than a given time are swept in steps, oldest first', async ({ backEnd }) => {
    for (let n = 1; n <= 6; n++) await tell(backEnd, { ...told(n), at: later(NOW, n) });
    assert.equal(await backEnd.sweepEvents(later(NOW, 4), 2), 2);
    assert.equal(await backEnd.sweepEvents(later(NOW, 4), 2), 1);
    assert.equal(await backEnd.sweepEvents(later(NOW, 4), 2), 0);
    assert.deepEqual(await eventSubjects(backEnd), [4, 5, 6]);
  });

  claim(
    'a cursor stays good when everything before and behind it is swept: no number is given twice',
    async (database) => {
      const backEnd = await database.open();
      await tell(backEnd, told(1), told(2));
      const cursor = (await backEnd.events({ after: 0, limit: 10 })).at(-1)?.sequence ?? 0;
      await backEnd.sweepEvents(later(NOW, 1000), 10);
      await tell(backEnd, told(3));
      const next = await backEnd.events({ after: cursor, limit: 10 });
      assert.deepEqual(
        next.map(({ subjectId }) => Number.parseInt(subjectId ?? '', 16)),
        [3],
      );
    },
  );
}

async function tell(backEnd: BackEnd, ...events: Event[]): Promise<void> {
  assert.equal(await backEnd.commit(commitOf({ events })), true);
}

async function writeOneByOne(backEnd: BackEnd, from: number): Promise<void> {
  for (let n = 0; n < EACH; n++) await tell(backEnd, told(from + n));
}

/** Reads from the last event on, until the writers have ended and no event is left. */
async function follow(backEnd: BackEnd, writing: { now: boolean }): Promise<number[]> {
  const subjects: number[] = [];
  let after = 0;
  for (;;) {
    const mayEnd = !writing.now;
    const events = await backEnd.events({ after, limit: 10 });
    subjects.push(...events.map(({ subjectId }) => Number.parseInt(subjectId ?? '', 16)));
    after = events.at(-1)?.sequence ?? after;
    if (mayEnd && events.length === 0) return subjects;
    await new Promise(setImmediate);
  }
}
