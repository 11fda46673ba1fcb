import type { Event } from '../../core/event.ts';
import type { EventQuery, LoggedEvent, NewestQuery } from '../store.ts';
import type { Column, Value } from '../table.ts';
import { decodeEvent, encodeEvent, eventColumns, IS_ACT } from '../tables/events.ts';
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

type Condition = readonly [sql: string, value?: Value];

export function eventsStatement({ after, limit, ...of }: EventQuery): { sql: string; values: Value[] } {
  return selecting([['sequence > ?', after], ...conditionsOf(of)], 'ORDER BY sequence', limit);
}

export function newestStatement({ count, before, ...of }: NewestQuery): { sql: string; values: Value[] } {
  const below: readonly Condition[] = before === undefined ? [] : [['sequence < ?', before]];
  return selecting([...below, ...conditionsOf(of)], 'ORDER BY sequence DESC', count);
}

function conditionsOf({ identityId, acts }: Pick<EventQuery, 'identityId' | 'acts'>): readonly Condition[] {
  const ofIdentity: readonly Condition[] = identityId === undefined ? [] : [['identity_id = ?', identityId]];
  return acts ? [...ofIdentity, [IS_ACT]] : ofIdentity;
}

function selecting(conditions: readonly Condition[], order: string, limit: number): { sql: string; values: Value[] } {
  const where = conditions.length > 0 ? `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}` : '';
  const values = conditions.flatMap(([, value]) => (value === undefined ? [] : [value]));
  return { sql: `${SELECT} ${where} ${order} ${LIMIT}`, values: [...values, limit] };
}

export function readEvent(values: Value[]): LoggedEvent {
  return decodeEvent(decodeColumns(DECODED, values));
}
