import { type EpochSeconds, epochSeconds, isoTime } from '../time.ts';

/** When something that ends by itself works: a certificate, a secret. */
export interface Validity {
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
}

export type ValidityState = 'early' | 'valid' | 'ending' | 'over';

/** Programs renew certificates with a third of their life left: a warning means that none did. */
const LAST_PART = 1 / 4;
/** In seconds. */
const MOST_WARNED = 30 * 86_400;

export function validityState({ from, to }: Validity, now: EpochSeconds): ValidityState {
  if (now < from) return 'early';
  if (now > to) return 'over';
  return to - now < Math.min((to - from) * LAST_PART, MOST_WARNED) ? 'ending' : 'valid';
}

/** What callers refuse a certificate for. */
export function whyRefused(validity: Validity, now: EpochSeconds): string | undefined {
  const state = validityState(validity, now);
  if (state === 'early') return `not valid before ${isoTime(validity.from)}`;
  return state === 'over' ? `expired at ${isoTime(validity.to)}` : undefined;
}

/** Of a certificate, as Node prints its dates. */
export function validityOf({ validFrom, validTo }: { readonly validFrom: string; readonly validTo: string }): Validity {
  return { from: epochSeconds(Date.parse(validFrom) / 1000), to: epochSeconds(Date.parse(validTo) / 1000) };
}
