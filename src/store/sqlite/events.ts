import { ACT_TYPES, type Event } from '../../core/event.ts';
import type { EventQuery, LoggedEvent, NewestQuery } from '../store.ts';
import type { Column, Value } from '../table.ts';
import { decodeEvent, encodeEvent, eventColumns } from '../tables/events.ts';
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

const IS_ACT = `AND type IN (${ACT_TYPES.map((type) => `'${type}'`)})`;

export function eventsStatement({ after, limit, identityId, acts }: EventQuery): { sql: string; values: Value[] } {
  const ofIdentity = identityId === undefined ? '' : 'AND identity_id = ?';
  return {
    sql: `${SELECT} WHERE sequence > ? ${ofIdentity} ${acts ? IS_ACT : ''} ORDER BY sequence ${LIMIT}`,
    values: identityId === undefined ? [after, limit] : [after, identityId, limit],
  };
}

export function newestStatement({ count, identityId }: NewestQuery): { sql: string; values: Value[] } {
  const ofIdentity = identityId === undefined ? '' : 'WHERE identity_id = ?';
  return {
    sql: `${SELECT} ${ofIdentity} ORDER BY sequence DESC ${LIMIT}`,
    values: identityId === undefined ? [count] : [identityId, count],
  };
}

/** Reads a result of these statements. */
export function readEvent(values: Value[]): LoggedEvent {
  return decodeEvent(decodeColumns(DECODED, values));
}
