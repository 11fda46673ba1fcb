import type { FastifyRequest } from 'fastify';
import type { ClaimedCaller, Refusal } from '../../core/refusal.ts';

/** What one request was about, for its log line and its metrics. Never a secret. */
export interface RequestRecord {
  operation: string;
  /** `aborted`: the caller went away before its answer had gone out. */
  outcome: 'accepted' | 'refused' | 'fault' | 'aborted';
  /** From one of the closed lists of refusals. */
  reason?: string | undefined;
  rule?: string | undefined;
  clientId?: string | undefined;
  identityId?: string | undefined;
  /** Not for the log, which has the steps of the verdict. */
  claimed?: ClaimedCaller | undefined;
  grantId?: string | undefined;
  /** The id of the resource server that sent the request. */
  resourceServer?: string | undefined;
  /** A health check or a scrape: its log line is for debugging only. */
  isMonitoring?: boolean;
}

// Kept on the request itself: a WeakMap costs every request a few microseconds, garbage collection included.
const RECORD = Symbol('record of the request');

export function recordOf(request: FastifyRequest & { [RECORD]?: RequestRecord }): RequestRecord {
  request[RECORD] ??= newRecord();
  return request[RECORD];
}

/** All fields from the start: adding fields later would change the object's shape, which is slower. */
function newRecord(): RequestRecord {
  return {
    operation: 'none',
    outcome: 'accepted',
    reason: undefined,
    rule: undefined,
    clientId: undefined,
    identityId: undefined,
    claimed: undefined,
    grantId: undefined,
    resourceServer: undefined,
    isMonitoring: false,
  };
}

export function recordRefusal(request: FastifyRequest, refusal: Refusal<string>): void {
  const { reason, rule, identityId, claimed } = refusal;
  const record = recordOf(request);
  record.outcome = reason === 'fault' ? 'fault' : 'refused';
  record.reason = reason;
  record.rule = rule;
  record.claimed = claimed;
  if (identityId) record.identityId = identityId;
}
