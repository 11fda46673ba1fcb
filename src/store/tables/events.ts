// The rows of the event log. It is not a Table: events are appended and read in order, and never changed.

import { type Act, type Author, KINDS, type Kind } from '../../core/act.ts';
import { ACT_TYPES, type Event, type EventOf, type EventType } from '../../core/event.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { EventQuery, LoggedEvent, NewestQuery } from '../store.ts';
import { type Column, hexDigits, type Value } from '../table.ts';
import { decodePresenter, encodePresenter } from './column-texts.ts';

/** The columns after the sequence number, which the back end draws. */
export const eventColumns: readonly Column[] = [
  { name: 'at', kind: 'integer' },
  { name: 'type', kind: 'text' },
  { name: 'client_id', kind: 'text', optional: true },
  { name: 'identity_id', kind: 'text', optional: true },
  { name: 'subject_id', kind: 'hex', optional: true },
  { name: 'presenter', kind: 'text', optional: true },
  { name: 'detail', kind: 'json', optional: true },
];

/** An SQL condition: events of ACT_TYPES. Their index has exactly this one, otherwise it is not used. */
export const IS_ACT = `type IN (${ACT_TYPES.map((type) => `'${type}'`).join(', ')})`;

/** What follows SELECT … FROM events in a query, up to its limit, which is the last value. `parameter`: by its number. */
export function selectedEvents(
  query: EventQuery | NewestQuery,
  parameter: (number: number) => string,
  upTo?: Value,
): { text: string; values: Value[] } {
  const [bounds, limit, order] =
    'count' in query
      ? [{ 'sequence >': 0, 'sequence <': query.before }, query.count, 'DESC']
      : [{ 'sequence >': query.after }, query.limit, 'ASC'];
  const all: Record<string, Value | undefined> = { 'sequence <=': upTo, ...bounds, 'identity_id =': query.identityId };
  const compared = Object.entries(all).filter((pair): pair is [string, Value] => pair[1] !== undefined);
  const conditions = compared.map(([comparison], index) => `${comparison} ${parameter(index + 1)}`);
  return {
    text: `WHERE ${[...conditions, ...(query.acts ? [IS_ACT] : [])].join(' AND ')} ORDER BY sequence ${order}`,
    values: [...compared.map(([, value]) => value), limit],
  };
}

export function encodeEvent(event: Event): Value[] {
  const { at, type, clientId = null, identityId = null, subjectId, presenter, requestId, detail } = event;
  return [
    at,
    type,
    clientId,
    identityId,
    hexDigits(subjectId ?? null),
    presenter ? encodePresenter(presenter) : null,
    detailText(detail, requestId, presenter?.traceId),
  ];
}

/** The request and its trace are stored in the detail. */
function detailText(detail: Event['detail'], requestId?: string, traceId?: string): string | null {
  // Of a refresh, the most frequent event by far.
  if (!detail && requestId !== undefined && traceId === undefined) return `{"requestId":"${requestId}"}`;
  if (!detail && requestId === undefined && traceId === undefined) return null;
  return JSON.stringify({
    ...detail,
    ...(requestId !== undefined && { requestId }),
    ...(traceId !== undefined && { traceId }),
  });
}

/** Reads the sequence number and the columns after it. */
export function decodeEvent(values: readonly Value[]): LoggedEvent {
  const [sequence, at, type, clientId, identityId, subjectId, presenter, detail] = values;
  return readEvent({
    sequence: sequence as number,
    at: at as EpochSeconds,
    type: type as EventType,
    ...(typeof clientId === 'string' && { clientId }),
    ...(typeof identityId === 'string' && { identityId }),
    ...(typeof subjectId === 'string' && { subjectId }),
    ...(typeof presenter === 'string' && { presenter: decodePresenter(presenter) }),
    ...(typeof detail === 'string' && { detail: JSON.parse(detail) }),
  });
}

/** An event as it was stored, by this release or another. */
export interface StoredEvent extends Omit<EventOf<'refreshed'>, 'type' | 'detail'> {
  readonly sequence: number;
  readonly type: EventType;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export function readEvent({ detail = {}, presenter, requestId: stored, ...event }: StoredEvent): LoggedEvent {
  const { requestId = stored, traceId, ...rest } = detail;
  const read =
    event.type === 'administered' ? readAct(rest) : Object.keys(rest).length > 0 && authored(rest, event.type);
  const from = presenter && { presenter: { ...presenter, ...(typeof traceId === 'string' && { traceId }) } };
  return {
    ...{ ...event, ...from, ...(typeof requestId === 'string' && { requestId }) },
    ...(read && { detail: read }),
  } as LoggedEvent;
}

type Detail = NonNullable<StoredEvent['detail']>;

/** The act and its author. What another release wrote, and this one does not know, is kept as words. */
export function readAct(detail: Detail): Act & { readonly by: Author } {
  if (isOurs(detail)) return detail;
  const { id, did, by } = detail;
  return { kind: 'unknown', id: text(id), did: 'done', words: text(did), by: authorOf(by) };
}

function authored(detail: Detail, type: EventType): Detail {
  const { by, ...others } = detail;
  return type === 'revoked' && by !== undefined ? { ...others, by: authorOf(by) } : detail;
}

/** Before 0.3 it was a text, such as `command root`. */
function authorOf(by: unknown): Author {
  return typeof by === 'object' && by !== null ? (by as Author) : { as: 'command', user: text(by) };
}

function isOurs(detail: object): detail is Act & { readonly by: Author } {
  const { kind, did } = detail as Detail;
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind) && Object.hasOwn(KINDS[kind as Kind], text(did));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
