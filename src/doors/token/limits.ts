// Rate limits of token doors: per address, and per integration.
import type { Ports } from '../../operations/ports.ts';
import { type AddressLimit, type RateRefusal, rateRefusal } from '../server/address-limit.ts';
import type { RateLimit } from '../server/rate-limit.ts';

export interface TokenRates {
  readonly overLimit: AddressLimit;
  readonly overCheckLimit: AddressLimit;
  readonly perIntegration: Readonly<Record<'grants' | 'devices', RateLimit>>;
}

export interface TokenLimits {
  /** The refusal for a caller whose address is over its limit, if it is. */
  readonly overLimit: AddressLimit;
  /** The same for checks of authentic tokens: a resource server sends one for each of its own requests. */
  readonly overCheckLimit: AddressLimit;
  /**
   * The same for an integration. Anybody may know its client id, so only authentic requests are charged to it. Anybody can
   * start a device authorization, so those are counted separately.
   */
  readonly overIntegrationLimit: (clientId: string, what: 'grants' | 'devices') => RateRefusal | undefined;
}

export function tokenLimits(rates: TokenRates, { registry }: Ports): TokenLimits {
  return {
    overLimit: rates.overLimit,
    overCheckLimit: rates.overCheckLimit,
    overIntegrationLimit: (clientId, what) =>
      registry.integration(clientId) && rateRefusal(rates.perIntegration[what].take(clientId)),
  };
}
