import type { Presenter } from './presenter.ts';
import type { EpochSeconds } from './time.ts';

export const EVENT_TYPES = [
  'issued',
  'refreshed',
  'retried',
  'reused',
  'revoked',
  'confirmed',
  'denied',
  'spent',
  'administered',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** What somebody decided and must not be undone unnoticed: a grant was ended, an operator changed something. */
export const ACT_TYPES = ['revoked', 'administered'] as const satisfies readonly EventType[];

/** A state change, written in the same commit as the change. It never contains a secret. */
export interface Event {
  readonly type: EventType;
  readonly at: EpochSeconds;
  readonly clientId?: string;
  readonly identityId?: string;
  /** The grant or the device authorization. */
  readonly subjectId?: string;
  readonly presenter?: Presenter;
  /** The request that caused it, if one did: the `id` of its log line. */
  readonly requestId?: string;
  /**
   * Depends on the type: the reason of a revocation, the first presenter of a retry, what an operator did. Stored with the
   * `requestId`, and with the `traceId` of the presenter.
   */
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}
