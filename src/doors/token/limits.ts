// Rate limits of token doors: per address, and per integration.
import type { FastifyRequest } from 'fastify';
import type { CallerReason, CappedUse, OverCap, Refusal } from '../../core/refusal.ts';
import { REQUEST } from '../../core/refusals/server.ts';
import type { Ports } from '../../operations/ports.ts';
import type { CallerParts } from '../door.ts';
import { type AddressLimit, type RateLimit, type RateRefusal, rateRefusal } from '../http/rate-limit.ts';

export interface TokenRates extends Pick<CallerParts, 'overLimit' | 'overCheckLimit'> {
  readonly perIntegration: Readonly<Record<'grants' | 'devices', RateLimit>>;
  readonly caps: Readonly<Record<CappedUse, readonly Cap[]>>;
  readonly onCap: (reached: ReachedCap) => void;
}

/** What a grant, an identity or an integration may cause in the store: nobody honest needs more. */
export interface Cap {
  readonly setting: string;
  readonly of: 'grantId' | 'identityId' | 'clientId';
  readonly rate: RateLimit;
}

export interface ReachedCap {
  readonly setting: string;
  readonly clientId: string;
  readonly identityId: string;
  readonly grantId?: string | undefined;
}

export interface TokenLimits extends Pick<TokenRates, 'overLimit' | 'overCheckLimit'> {
  /** The same for an integration. Anybody may know its client id, so only authentic requests are charged to it; device authorizations are counted apart. */
  readonly overIntegrationLimit: (clientId: string, what: 'grants' | 'devices') => RateRefusal | undefined;
  /** For one request of an identified caller. A grant is charged before its identity, and that before its integration: others need these too. */
  readonly capsFor: (clientId: string) => OverCap;
}

export function tokenLimits(rates: TokenRates, { registry }: Ports): TokenLimits {
  return {
    overLimit: rates.overLimit,
    overCheckLimit: rates.overCheckLimit,
    overIntegrationLimit: (clientId, what) =>
      registry.integration(clientId) && rateRefusal(rates.perIntegration[what].take(clientId)),
    capsFor: (clientId) => {
      let charged: { readonly refusal: Refusal | undefined } | undefined;
      return (use, identityId, grantId) => {
        charged ??= { refusal: charge(rates.caps[use], { clientId, identityId, grantId }, rates.onCap) };
        return charged.refusal;
      };
    },
  };
}

function charge(
  caps: readonly Cap[],
  caller: Omit<ReachedCap, 'setting'>,
  onCap: TokenRates['onCap'],
): Refusal | undefined {
  for (const { setting, of, rate } of caps) {
    const retryAfter = rate.take(caller[of] ?? '');
    if (retryAfter === undefined) continue;
    onCap({ setting, ...caller });
    return { reason: 'cap-reached', retryAfter, rule: setting };
  }
  return undefined;
}

/** Charges a request once, however many of its steps need the limit: proofs are checked before credentials. */
export function chargedOnce(overLimit: AddressLimit): AddressLimit {
  const charged = new WeakMap<FastifyRequest, RateRefusal | 'within'>();
  return (request) => {
    const known = charged.get(request) ?? overLimit(request) ?? 'within';
    charged.set(request, known);
    return known === 'within' ? undefined : known;
  };
}

/** Requests that name no grant, so that no limit was charged for them, and a 429 instead hides no grant that has ended. */
export const NAMING_NO_GRANT: ReadonlySet<string> = new Set([
  ...Object.keys(REQUEST),
  ...([
    'client-id-missing',
    'credential-missing',
    'credential-ambiguous',
    'grant-type-missing',
    'grant-type-unsupported',
  ] satisfies CallerReason[]),
]);
