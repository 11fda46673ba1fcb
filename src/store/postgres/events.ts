// The event log. Sequence numbers are drawn by transactions that commit in any order, so a reader could see number 8,
// continue after it, and miss number 7, which commits a moment later. Therefore
// - before drawing numbers, a writer takes a shared lock that names the last number drawn: its own numbers will be higher;
// - a reader reads the last number drawn, then the locks still held, and stops at the lowest of these. All
//   transactions with numbers up to there have ended: otherwise their lock would still be held.
// A lock is released with its transaction, after its writes become visible. Writers wait neither for readers nor for each
// other.
import type { Event } from '../../core/event.ts';
import type { EventQuery, NewestQuery } from '../store.ts';
import type { Column, Value } from '../table.ts';
import { encodeEvent, eventColumns, selectedEvents } from '../tables/events.ts';
import { unnested } from './statements.ts';

/** The first half of the locks' keys; the second is the sequence number's lower 31 bits. */
const LOCKS = 0x7e55e2;
/** If another program holds that lock, a session uses a first half of its own, up to this much higher. */
const MOST_PIDS = 2 ** 22;

/** Does not wait for another program's lock, unless that program holds both. `last_value` is that of the sequence. */
const LOCK = `CASE WHEN pg_try_advisory_xact_lock_shared(${LOCKS}, (last_value & 2147483647)::integer) THEN NULL
      ELSE pg_advisory_xact_lock_shared(${LOCKS} + pg_backend_pid(), (last_value & 2147483647)::integer)::text END`;

const NAMES = eventColumns.map(({ name }) => name).join(', ');

/** The parameters of `appendText`: first the unit that an event belongs to. */
export const EVENT_COLUMNS: readonly Column[] = [{ name: 'of_unit', kind: 'integer' }, ...eventColumns];

/** Appends the events of the units in `done`. The numbers are drawn after the lock is held and in the order given. */
export function appendText(firstParameter: number): string {
  return `drawing AS MATERIALIZED (
      SELECT ${LOCK} FROM event_sequence),
    appended AS (INSERT INTO events (sequence, ${NAMES}) SELECT nextval('event_sequence'), ${NAMES} FROM (
      SELECT e.* FROM drawing, ${unnested(EVENT_COLUMNS, 'e', firstParameter)} JOIN done ON done.unit = e.of_unit
      ORDER BY e.unit) ordered)`;
}

export function eventValues(event: Event, unit: number): Value[] {
  return [unit, ...encodeEvent(event)];
}

/** Stores events of another store under their old numbers; numbers drawn later are higher. */
export const RECEIVE = `WITH received AS (INSERT INTO events (sequence, ${NAMES}) SELECT of_unit, ${NAMES}
    FROM ${unnested(EVENT_COLUMNS, 'e')} ON CONFLICT (sequence) DO NOTHING)
  SELECT setval('event_sequence', greatest(last_value, (SELECT max(n) FROM unnest($1::bigint[]) n))) FROM event_sequence`;

/** Up to where readers may read, and the last number drawn. Locks of roles that may not write events do not count. */
export const HORIZON = `WITH drawn AS MATERIALIZED (SELECT last_value FROM event_sequence)
  SELECT least(last_value, (
    SELECT min(last_value - (((last_value - objid::bigint + 1073741824) & 2147483647) - 1073741824))
    FROM pg_locks l JOIN pg_stat_get_activity(l.pid) a ON true
    WHERE locktype = 'advisory' AND classid BETWEEN ${LOCKS} AND ${LOCKS + MOST_PIDS} AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND has_table_privilege(a.usesysid, 'events', 'INSERT'))), last_value FROM drawn`;

export function eventsStatement(
  query: EventQuery | NewestQuery,
  horizon: Value | undefined,
): { text: string; values: Value[] } {
  const { text, values } = selectedEvents(query, (number) => `$${number}`, horizon);
  return { text: `SELECT sequence, ${NAMES} FROM events ${text} LIMIT $${values.length}`, values };
}

export const SWEEP_EVENTS = `DELETE FROM events WHERE sequence = ANY (ARRAY(SELECT sequence FROM (
  SELECT sequence, at FROM events ORDER BY sequence LIMIT $2::bigint) oldest WHERE at < $1::bigint))`;

/** By number, for a move: events that the old store has swept. */
export const REMOVE_EVENTS = `DELETE FROM events WHERE sequence = ANY (ARRAY(
  SELECT sequence FROM events WHERE sequence < $1::bigint ORDER BY sequence LIMIT $2::bigint))`;
