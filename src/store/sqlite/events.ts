import type { Event } from '../../core/event.ts';
import type { EventQuery, LoggedEvent, NewestQuery } from '../store.ts';
import type { Column, Value } from '../table.ts';
import { decodeEvent, encodeEvent, eventColumns, selectedEvents } from '../tables/events.ts';
import type { Step } from './commits.ts';
import { LIMIT } from './statements.ts';
import { decodeColumns, decodedOf, readable, written } from './values.ts';

const COLUMNS: readonly Column[] = [{ name: 'sequence', kind: 'integer' }, ...eventColumns];
const NAMES = eventColumns.map(({ name }) => name);
const SELECT = `SELECT ${COLUMNS.map((column) => readable('events', column))} FROM events`;
const APPEND = `INSERT INTO events (${NAMES}) VALUES (${eventColumns.map(written)})`;
const DECODED = decodedOf(COLUMNS);

/** Oldest first. The newest event always stays, so that no sequence number is used twice. */
export const SWEEP_EVENTS = `DELETE FROM events WHERE sequence IN (SELECT sequence FROM
  (SELECT sequence, at FROM events ORDER BY sequence ${LIMIT}) WHERE at < ? AND sequence < (SELECT max(sequence) FROM events))`;

export function appendStep(event: Event): Step {
  return { sql: APPEND, values: encodeEvent(event), decisive: false, pages: 1 };
}

export function eventsStatement(query: EventQuery | NewestQuery): { sql: string; values: Value[] } {
  const { text, values } = selectedEvents(query, () => '?');
  return { sql: `${SELECT} ${text} ${LIMIT}`, values };
}

export function readEvent(values: Value[]): LoggedEvent {
  return decodeEvent(decodeColumns(DECODED, values));
}
