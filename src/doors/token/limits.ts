// Rate limits of token doors: per address, and per integration.
import type { FastifyRequest } from 'fastify';
import type { Ports } from '../../operations/ports.ts';
import type { ReadConnection } from '../caller/connection.ts';
import { addressLimit, type RateRefusal, rateRefusal } from '../server/address-limit.ts';
import type { RateLimit } from '../server/rate-limit.ts';

export interface TokenRates {
  readonly perAddress: RateLimit;
  readonly perIntegration: Readonly<Record<'grants' | 'devices', RateLimit>>;
}

export interface TokenLimits {
  /** The refusal for a caller whose address is over its limit, if it is. */
  readonly overLimit: (request: FastifyRequest) => RateRefusal | undefined;
  /**
   * The same for an integration. Anybody may know its client id, so only authentic requests are charged to it. Anybody can
   * start a device authorization, so those are counted separately.
   */
  readonly overIntegrationLimit: (clientId: string, what: 'grants' | 'devices') => RateRefusal | undefined;
}

export function tokenLimits(rates: TokenRates, readConnection: ReadConnection, { registry }: Ports): TokenLimits {
  return {
    overLimit: addressLimit(rates.perAddress, readConnection),
    overIntegrationLimit: (clientId, what) =>
      registry.integration(clientId) && rateRefusal(rates.perIntegration[what].take(clientId)),
  };
}
