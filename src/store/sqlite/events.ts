import type { Event, EventType } from '../../core/event.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { EventQuery, LoggedEvent, NewestQuery } from '../store.ts';
import type { Value } from '../table.ts';
import { decodePresenter, encodePresenter } from '../tables/presenter-text.ts';
import type { Step } from './writer.ts';

const SELECT = 'SELECT sequence, at, type, client_id, identity_id, subject_id, presenter, detail FROM events';
const APPEND =
  'INSERT INTO events (at, type, client_id, identity_id, subject_id, presenter, detail) VALUES (?, ?, ?, ?, ?, ?, ?)';

/** From the oldest on; the newest event always stays, so that sequence numbers are never given twice. */
export const SWEEP_EVENTS = `DELETE FROM events WHERE sequence IN (SELECT sequence FROM
  (SELECT sequence, at FROM events ORDER BY sequence LIMIT ?) WHERE at < ? AND sequence < (SELECT max(sequence) FROM events))`;

export function appendStep(event: Event): Step {
  const { at, type, clientId = null, identityId = null, subjectId, presenter, detail } = event;
  const values = [
    at,
    type,
    clientId,
    identityId,
    subjectId === undefined ? null : Buffer.from(subjectId, 'hex'),
    presenter ? encodePresenter(presenter) : null,
    detail ? JSON.stringify(detail) : null,
  ];
  return { sql: APPEND, values, decisive: false };
}

export function eventsStatement({ after, limit, identityId }: EventQuery): { sql: string; values: Value[] } {
  const ofIdentity = identityId === undefined ? '' : 'AND identity_id = ?';
  return {
    sql: `${SELECT} WHERE sequence > ? ${ofIdentity} ORDER BY sequence LIMIT ?`,
    values: identityId === undefined ? [after, limit] : [after, identityId, limit],
  };
}

export function newestStatement({ count, identityId }: NewestQuery): { sql: string; values: Value[] } {
  const ofIdentity = identityId === undefined ? '' : 'WHERE identity_id = ?';
  return {
    sql: `${SELECT} ${ofIdentity} ORDER BY sequence DESC LIMIT ?`,
    values: identityId === undefined ? [count] : [identityId, count],
  };
}

export function readEvent([
  sequence,
  at,
  type,
  clientId,
  identityId,
  subjectId,
  presenter,
  detail,
]: readonly Value[]): LoggedEvent {
  return {
    sequence: sequence as number,
    at: at as EpochSeconds,
    type: type as EventType,
    ...(typeof clientId === 'string' && { clientId }),
    ...(typeof identityId === 'string' && { identityId }),
    ...(subjectId instanceof Uint8Array && { subjectId: Buffer.from(subjectId).toString('hex') }),
    ...(typeof presenter === 'string' && { presenter: decodePresenter(presenter) }),
    ...(typeof detail === 'string' && { detail: JSON.parse(detail) }),
  };
}
