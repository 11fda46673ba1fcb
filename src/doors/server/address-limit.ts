import type { FastifyRequest } from 'fastify';
import type { Refusal } from '../../core/refusal.ts';
import type { Seconds } from '../../core/time.ts';
import type { ReadConnection } from '../caller/connection.ts';
import type { RateLimit } from './rate-limit.ts';

export type RateRefusal = Refusal<'rate-limited'>;

/** The refusal for a caller whose network is over its rate limit, if it is. */
export type AddressLimit = (request: FastifyRequest) => RateRefusal | undefined;

export function addressLimit(rate: RateLimit, readConnection: ReadConnection): AddressLimit {
  return (request) => rateRefusal(rate.take(readConnection(request).network));
}

export function rateRefusal(wait: Seconds | undefined): RateRefusal | undefined {
  return wait === undefined ? undefined : { reason: 'rate-limited', retryAfter: wait };
}
