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
  { name: 'client_id', kind: 'text' },
  { name: 'identity_id', kind: 'text' },
  { name: 'subject_id', kind: 'hex' },
  { name: 'presenter', kind: 'text' },
  { name: 'detail', kind: 'json' },
];

/** An SQL condition: events of ACT_TYPES. Their index has exactly this one, otherwise it is not used. */
const IS_ACT = `type IN (${ACT_TYPES.map((type) => `'${type}'`).join(', ')})`;

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

/** An event as it was stored, by this release or an older one. */
export interface StoredEvent extends Omit<EventOf<'refreshed'>, 'type' | 'detail'> {
  readonly sequence: number;
  readonly type: EventType;
  readonly detail?: Readonly<Record<string, unknown>>;
}

export function readEvent({ detail = {}, presenter, requestId: stored, ...event }: StoredEvent): LoggedEvent {
  const { requestId = stored, traceId, ...rest } = detail;
  const readDetail = DETAILS[event.type];
  const read = readDetail ? { detail: readDetail(rest, event) } : Object.keys(rest).length > 0 && { detail: rest };
  const from = presenter && { presenter: { ...presenter, ...(typeof traceId === 'string' && { traceId }) } };
  return { ...event, ...from, ...(typeof requestId === 'string' && { requestId }), ...read } as LoggedEvent;
}

type Detail = NonNullable<StoredEvent['detail']>;

const DETAILS: Readonly<
  Partial<Record<EventType, (detail: Detail, event: Pick<StoredEvent, 'clientId' | 'identityId'>) => object>>
> = {
  administered: readAct,
  revoked: ({ by, ...detail }) => ({ ...detail, ...(by !== undefined && { by: readAuthor(by) }) }),
};

// Acts as 0.1 and 0.2 wrote them: a sentence in `did`, the author as a text in `by`, and the facts beside them.

/** The act that a sentence stands for, and the facts that the detail has under the same names. */
const SENTENCES: Readonly<Record<string, readonly [kind: Kind, did: string, ...facts: string[]]>> = {
  'identity added': ['identity', 'added', 'userName'],
  'identity derived': ['identity', 'derived', 'source'],
  'identity changed': ['identity', 'changed'],
  'password set': ['identity', 'password-set'],
  'identity enabled': ['identity', 'enabled'],
  'identity disabled': ['identity', 'disabled'],
  'identity removed': ['identity', 'removed', 'userName'],
  'integration registered': ['integration', 'registered', 'scope'],
  'integration changed': ['integration', 'changed', 'accessChanged'],
  'integration enabled': ['integration', 'enabled'],
  'integration disabled': ['integration', 'disabled'],
  'integration removed': ['integration', 'removed'],
  'issuer approved': ['issuer', 'approved', 'fingerprint'],
  'issuer changed': ['issuer', 'changed'],
  'issuer withdrawn': ['issuer', 'withdrawn'],
  'token issuer added': ['token-issuer', 'added', 'issuer', 'rules'],
  'token issuer changed': ['token-issuer', 'changed'],
  'token issuer removed': ['token-issuer', 'removed'],
  'resource server registered': ['resource-server', 'registered', 'audience', 'resources'],
  'resource server changed': ['resource-server', 'changed'],
  'resource server secret made': ['resource-server', 'secret-made'],
  // Which secrets ended was not written.
  'resource server secrets replaced': ['resource-server', 'secret-made'],
  'old resource server secret dropped': ['resource-server', 'changed'],
  'resource server removed': ['resource-server', 'removed'],
  'signing key added': ['signing-key', 'added', 'state'],
  'signing key signs': ['signing-key', 'signs'],
  'signing key removed': ['signing-key', 'removed'],
  'key added': ['key', 'added'],
  'key minting': ['key', 'minting', 'before'],
  'key retired': ['key', 'retired'],
  'rollback accepted': ['store', 'rollback-accepted', 'epoch', 'seen', 'found'],
  'clock accepted': ['store', 'clock-accepted'],
  'store taken back': ['store', 'taken-back'],
};

/** Where the id of the thing is: a column of the event, or a member of its detail. */
const ID_OF: Readonly<Record<Kind, string>> = {
  identity: 'identityId',
  passkey: 'identityId',
  integration: 'clientId',
  issuer: 'issuer',
  'token-issuer': 'tokenIssuer',
  'resource-server': 'resourceServer',
  'signing-key': 'key',
  key: 'key',
  directory: 'id',
  store: '',
  unknown: 'id',
};

/** The act and its author, of this release or an older one. What a later release wrote is kept as words. */
export function readAct(detail: Detail, columns: object): Act & { readonly by: Author } {
  if (isOurs(detail)) return detail;
  const words = text(detail['did']);
  const [kind, did, ...names] = SENTENCES[words] ?? (['unknown', 'done'] as const);
  const known: Detail = { ...detail, ...columns };
  const facts = names.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]]]));
  return {
    ...{ kind, id: text(known[ID_OF[kind]]), did, ...Object.fromEntries(facts) },
    ...(did === 'changed' && { changed: fieldsOf(detail) }),
    ...(kind === 'unknown' && { words }),
    by: readAuthor(detail['by']),
  } as Act & { readonly by: Author };
}

function isOurs(detail: object): detail is Act & { readonly by: Author } {
  const { kind, did } = detail as Detail;
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind) && Object.hasOwn(KINDS[kind as Kind], text(did));
}

/** The names of the fields, without their values. */
function fieldsOf({ changed }: Detail): object {
  const names = text(changed).split(', ').filter(Boolean);
  return Object.fromEntries(names.map((name) => [name, {}]));
}

const AUTHORS: Readonly<Record<string, Author>> = {
  service: { as: 'service', why: 'start' },
  quickstart: { as: 'service', why: 'quickstart' },
  'tessera init': { as: 'command' },
};

/** Events of 0.1 and 0.2 have a text, or nothing where the service derived an identity. */
export function readAuthor(by: unknown): Author {
  if (typeof by === 'object' && by !== null) return by as Author;
  if (by === undefined) return { as: 'service', why: 'first-use' };
  return AUTHORS[text(by)] ?? { as: 'command', user: text(by).replace(/^command /, '') };
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
