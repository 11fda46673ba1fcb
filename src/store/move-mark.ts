// Rows in `attempts` record how far a move has come: it never overwrites a store in use, and no service starts on an
// incomplete store, nor on one that was moved away.
import type { Event } from '../core/event.ts';
import { OperatorFault } from '../core/faults.ts';
import { after, type EpochSeconds, epochSeconds, seconds } from '../core/time.ts';
import type { BackEnd } from './back-end.ts';
import { storeOf } from './change.ts';
import type { Store } from './store.ts';
import type { AnyTable } from './table.ts';
import { attempts } from './tables/attempts.ts';
import { serviceTimes } from './tables/service-times.ts';

/** An expected reason why a move cannot go on, or why a service cannot start on its target, with what to do next. */
export class MoveRefused extends OperatorFault {
  override readonly name = 'MoveRefused';
}

const MARK = 'moving a store here';
const AWAY = 'this store was moved away';
/** Longer than any move takes: the first mark ends when a service opens the store. */
const YEARS = seconds(10 * 365 * 86_400);
const STATES = ['incomplete', 'complete'] as const;

export type MoveState = (typeof STATES)[number];

export function isMark(table: AnyTable, row: unknown): boolean {
  return table === attempts && [MARK, AWAY].includes(table.keyOf(row));
}

/** Accepts an empty store, or one that an earlier run has filled and no service has opened since. */
export async function claim(to: BackEnd, tables: readonly AnyTable[]): Promise<void> {
  const { found, now } = await to.load(attempts, MARK);
  if (!found || found.row.endsAt <= now) await refuseRows(to, tables);
  await mark(to, 'incomplete');
}

/** Counts of attempts and the times of the service do not count as use: doctor writes some. */
async function refuseRows(to: BackEnd, tables: readonly AnyTable[]): Promise<void> {
  for (const table of tables.filter((each) => each !== attempts && each !== serviceTimes)) {
    if ((await to.page(table, { limit: 1 })).length === 0) continue;
    throw new MoveRefused(
      `the store to move to is in use: it has ${table.name}`,
      'Nothing was changed. Move to an empty database, or empty this one if nobody needs it: DROP DATABASE, CREATE DATABASE.',
    );
  }
}

export async function mark(to: BackEnd, state: MoveState): Promise<void> {
  await write(to, MARK, STATES.indexOf(state));
}

/** The last run was proved: from now on no service may start on the source. */
export async function markMoved(from: BackEnd): Promise<void> {
  await write(from, AWAY, 1);
}

function write(backEnd: BackEnd, about: string, count: number): Promise<void> {
  return storeOf(backEnd).change(attempts, about, (_, now) => ({
    outcome: undefined,
    next: { about, count, endsAt: after(now, YEARS) },
  }));
}

/** When this store was moved to another one; undefined if it was not, or was taken back since. */
export async function movedAwayAt(store: Store): Promise<EpochSeconds | undefined> {
  const { found, now } = await store.load(attempts, AWAY);
  return found && found.row.endsAt > now ? epochSeconds(found.row.endsAt - YEARS) : undefined;
}

/** The operator gives up the store that this one was moved to. Logs `event` if there was something to take back. */
export function takeBack(store: Store, event: (now: EpochSeconds) => Event): Promise<void> {
  return store.change(attempts, AWAY, (found, now) => {
    if (!found || found.row.endsAt <= now) return { outcome: undefined };
    return { outcome: undefined, next: { ...found.row, endsAt: now }, events: [event(now)] };
  });
}

/** A service takes over the store: from now on no move may write to it. */
export async function takeOver(store: Store): Promise<void> {
  const movedAt = await movedAwayAt(store);
  if (movedAt !== undefined) throw new MoveRefused(movedText(movedAt), USE_THE_OTHER);
  const state = await store.change(attempts, MARK, (found, now) => {
    if (!found || found.row.endsAt <= now) return { outcome: undefined };
    const was = STATES[found.row.count];
    return was === 'complete' ? { outcome: was, next: rowOf(was, now) } : { outcome: was };
  });
  if (state !== 'incomplete') return;
  throw new MoveRefused(
    'a move into this store is not complete',
    'Stop the service that runs on the old store, then run the same tessera migrate-store once more.',
  );
}

export function movedText(at: EpochSeconds): string {
  return `this store was moved to another one on ${new Date(at * 1000).toISOString()}, and must not change any more`;
}

export const USE_THE_OTHER =
  'Set store: to the address of that one. To give that one up, with every change made there: tessera serve --take-back';

function rowOf(state: MoveState, endsAt: EpochSeconds) {
  return { about: MARK, count: STATES.indexOf(state), endsAt };
}
