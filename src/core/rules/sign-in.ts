// Which limits apply to a password check. A person's own browser is counted apart, so that nobody locks others out.
import type { Hex } from '../hex.ts';
import type { Settings } from '../settings.ts';
import { after, type EpochSeconds, seconds } from '../time.ts';
import type { Limit } from './attempts.ts';

export type Browser =
  /** It has a live session of the person whose password is checked. */
  | { readonly is: 'in-session'; readonly session: string }
  /** The person whose name was typed has signed in with it before. */
  | { readonly is: 'known'; readonly id: Hex }
  | { readonly is: 'unknown' };

/** Content of the cookie of a browser that somebody has signed in with. */
export interface KnownBrowser {
  readonly id: Hex;
  readonly nameMark: Hex;
  /** Identifies the password that was used: the browser is unknown once the password is changed or reset. */
  readonly passwordMark: Hex;
  readonly signedInAt: EpochSeconds;
}

export function isKnownFor(known: KnownBrowser, nameMark: Hex, settings: Settings, now: EpochSeconds): boolean {
  return known.nameMark === nameMark && now < after(known.signedInAt, settings.knownBrowserLifetime);
}

export interface SignInFacts {
  readonly browser: Browser;
  /** Hash of the typed name, whether or not an identity has it. */
  readonly nameMark: Hex;
  readonly network: string;
}

/** A sign-in that a browser has begun at a provider. */
export interface ProviderAttempt {
  readonly label: string;
  readonly begunAt: EpochSeconds;
  /** Whether an older session at the provider is not enough, because the person is signed in here. */
  readonly isAgain: boolean;
  /** How the person goes on: the user code, the query of the authorization request, or a page. */
  readonly code?: string | undefined;
  readonly request?: string | undefined;
  readonly goOn?: string | undefined;
}

export const PROVIDER_LIFETIME = seconds(600);

/** RFC 9700 4.4.2.2: each provider has its own address, so that no response is taken for one of another. */
export function whyNotReturn({ label, begunAt }: ProviderAttempt, at: string, now: EpochSeconds): string | undefined {
  if (label !== at) return 'directory';
  return now >= after(begunAt, PROVIDER_LIFETIME) ? 'expired' : undefined;
}

/** By how much the clock of a provider may differ. */
export const PROVIDER_SKEW = seconds(60);

/** Why an ID token is no proof that the person signed in since then. The library has checked `exp` and `nbf`. OpenID Connect Core 3.1.3.7. */
export function whyNotProven(
  { iat, auth_time: at }: { readonly iat: number; readonly auth_time?: number | undefined },
  since: EpochSeconds,
  now: EpochSeconds,
): string | undefined {
  if (Math.max(iat, at ?? 0) > now + PROVIDER_SKEW) return 'the ID token is from the future';
  if (at === undefined) return 'the ID token has no auth_time, which says when the person signed in';
  return at < since - PROVIDER_SKEW ? 'the person was not asked to sign in again' : undefined;
}

/** Anybody can begin a sign-in, and every return costs a request to the provider. */
export function returnLimit(network: string, { failedSignInsPerAddress, signInWindow }: Settings): Limit {
  return { about: `sign-in at a provider from ${network}`, most: failedSignInsPerAddress, within: signInWindow };
}

/** What failures of unknown browsers are counted under. */
export function attemptsAs(nameMark: Hex): string {
  return `sign-in as ${nameMark}`;
}

/** In order. The address comes first: an address over its limit must not use up the attempts of other people's names. */
export function signInLimits({ browser, nameMark, network }: SignInFacts, settings: Settings): readonly Limit[] {
  const { failedSignInsPerIdentity: perName, failedSignInsPerAddress: perAddress, signInWindow: within } = settings;
  switch (browser.is) {
    case 'in-session':
      return [{ about: `sign-in in session ${browser.session}`, most: perName, within }];
    case 'known':
      return [{ about: `sign-in with browser ${browser.id}`, most: perName, within }];
    case 'unknown':
      return [
        { about: `sign-in from ${network}`, most: perAddress, within },
        { about: attemptsAs(nameMark), most: perName, within, delays: true },
      ];
  }
}

/** Anyone who sees a user code can fail with it, so only browsers count that somebody has signed in with. */
export function countsAgainstUserCode({ is }: Browser): boolean {
  return is !== 'unknown';
}
