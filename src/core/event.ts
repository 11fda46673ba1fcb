import type { Act, Author } from './act.ts';
import type { Grant, RevocationReason } from './grant.ts';
import type { StrongProof } from './person.ts';
import type { Presenter } from './presenter.ts';
import { type EpochSeconds, isoTime } from './time.ts';

/** What each type of event says besides who, what and when. It never contains a secret. */
interface Details {
  issued: {
    readonly by: Grant['origin']['kind'];
    readonly tokenIssuer?: string;
    /** The address of the document of a guest. */
    readonly guest?: string;
    /** How an integration authenticated, or the person who confirmed. */
    readonly proof?: 'key' | 'secret' | StrongProof;
    /** The grant whose access token was exchanged. */
    readonly parent?: string;
    readonly scope: string;
    readonly resource?: string;
    readonly until: EpochSeconds;
  };
  refreshed: undefined;
  /** The presenter of the first answer. An alarm: another one presents the token again. */
  retried: { readonly firstAddress: string; readonly firstAgent: string; readonly alarm: boolean };
  reused: { readonly ended: boolean };
  /** A refresh with the newest token, of which the store had lost so many generations. */
  healed: { readonly generations: number };
  /** `by` is the author if that is an operator. `scope` and `resource`: those of the grant. */
  revoked: {
    readonly reason: RevocationReason;
    readonly by?: Author;
    readonly scope?: string;
    readonly resource?: readonly string[];
  };
  /** By or for a guest only. */
  confirmed: { readonly guest: string } | undefined;
  denied: { readonly guest: string } | undefined;
  spent: undefined;
  administered: Act & { readonly by: Author };
}

export const EVENT_TYPES = [
  'issued',
  'refreshed',
  'retried',
  'reused',
  'healed',
  'revoked',
  'confirmed',
  'denied',
  'spent',
  'administered',
] as const satisfies readonly (keyof Details)[];

export type EventType = keyof Details;

/** What somebody decided and must not be undone unnoticed: a grant was ended, an operator changed something. */
export const ACT_TYPES = ['revoked', 'administered'] as const satisfies readonly EventType[];

interface Written {
  readonly at: EpochSeconds;
  readonly clientId?: string;
  readonly identityId?: string;
  /** The grant or the device authorization. */
  readonly subjectId?: string;
  readonly presenter?: Presenter;
  /** The request that caused it, if one did: the `id` of its log line. */
  readonly requestId?: string;
}

export type EventOf<Type extends EventType> = Written & { readonly type: Type } & (undefined extends Details[Type]
    ? { readonly detail?: NonNullable<Details[Type]> }
    : { readonly detail: Details[Type] });

/** A state change, written in the same commit as the change. */
export type Event = { [Type in EventType]: EventOf<Type> }[EventType];
export type ActEvent = EventOf<'administered'>;

export function ended(
  { scope, resource }: Pick<Grant, 'scope' | 'resource'>,
  reason: RevocationReason,
  by?: Author,
): Details['revoked'] {
  return { reason, ...(by && { by }), scope, ...(resource && { resource }) };
}

/** The event of an act. Acts on identities and integrations are found by their ids. */
export function acted(act: Act, { at, by }: { readonly at: EpochSeconds; readonly by: Author }): ActEvent {
  return {
    type: 'administered',
    at,
    ...((act.kind === 'identity' || act.kind === 'passkey') && { identityId: act.id }),
    ...(act.kind === 'integration' && { clientId: act.id }),
    detail: { ...act, by },
  };
}

export const EVENT_COLUMNS = 'sequence at type clientId identityId subjectId address agent requestId detail'.split(' ');

/** One line, by RFC 4180. */
export function eventAsCsv({ presenter, detail, at, ...event }: Event & { readonly sequence: number }): string {
  const { sequence, type, clientId, identityId, subjectId, requestId } = event;
  const from = [presenter?.address, presenter?.agent, requestId];
  const cells = [sequence, isoTime(at), type, clientId, identityId, subjectId, ...from];
  return [...cells, detail && JSON.stringify(detail)].map((cell) => csvCell(String(cell ?? ''))).join(',');
}

/** A text that a spreadsheet would take for a formula gets an apostrophe. */
export function csvCell(text: string): string {
  const inert = /^[=+@\t\r-]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
