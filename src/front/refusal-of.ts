// What an error of fastify or of an operation is to its caller.
import type { FastifyError, FastifyRequest } from 'fastify';
import { DirectoryAway, Overloaded } from '../core/faults.ts';
import { seconds } from '../core/time.ts';
import type { AddressLimit } from '../doors/http/rate-limit.ts';
import type { ServerReason, ServerRefusal } from '../doors/http/transport-refusal.ts';
import { ClockImplausible, OutcomeUnknown, StoreUnavailable } from '../store/store.ts';
import { HistoryInDoubt } from '../store/tables/store-history.ts';
import { KeyMissing } from '../tokens/keyring.ts';
import { BrokenRequest } from './broken-request.ts';

const RETRY_SHORTLY = seconds(1);

interface Told {
  readonly onFault: (request: FastifyRequest, fault: unknown, reason: ServerReason) => void;
  readonly overLimit: AddressLimit;
}

/** Maps an error of fastify or an operation to a refusal. Unknown errors are faults; their text is not sent. */
export function refusalOf(error: FastifyError, request: FastifyRequest, { onFault, overLimit }: Told): ServerRefusal {
  const reason = unavailableReason(error);
  if (reason) {
    onFault(request, error, reason);
    return { reason, retryAfter: RETRY_SHORTLY };
  }
  if (error instanceof BrokenRequest) return overLimit(request) ?? { reason: error.reason };
  if (error instanceof Overloaded) return { reason: 'overloaded', retryAfter: RETRY_SHORTLY };
  if (error.statusCode !== undefined && error.statusCode < 500) return { reason: 'body-unreadable' };
  onFault(request, error, 'fault');
  return { reason: 'fault' };
}

function unavailableReason(error: unknown): ServerReason | undefined {
  if (error instanceof OutcomeUnknown) return 'outcome-unknown';
  if (error instanceof HistoryInDoubt) return 'history-in-doubt';
  if (error instanceof ClockImplausible) return 'clock-implausible';
  if (error instanceof StoreUnavailable) return 'store-unavailable';
  if (error instanceof KeyMissing) return 'key-missing';
  return error instanceof DirectoryAway ? 'directory-unavailable' : undefined;
}
