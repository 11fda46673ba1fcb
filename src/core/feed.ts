// The revocation feed, for resource servers that check tokens themselves. Every entry is a whole state.
import type { Hex } from './hex.ts';
import type { Integration } from './integration.ts';
import type { Scope } from './scope.ts';
import { JWT_LIFETIME_MAX } from './settings.ts';
import { after, type EpochSeconds, type Seconds, seconds } from './time.ts';

export type FeedState =
  | {
      readonly about: 'grant';
      readonly grantId: string;
      /** Of the grant. Undefined: the event does not say it. */
      readonly scope: Scope | undefined;
      /** The audiences that it is limited to. */
      readonly resource?: readonly string[];
      readonly keepUntil: EpochSeconds;
    }
  | IdentityState
  | {
      readonly about: 'integration';
      readonly integration: Integration;
      /** Its scope before this change, if that changed: followers of those resources must learn of it. */
      readonly formerScope?: Scope | 'unknown';
      /** Who may use it has changed: tokens issued before must be introspected. */
      readonly recheckBefore?: EpochSeconds;
    }
  /** A signing key was removed: published keys must be fetched again. */
  | { readonly about: 'keys'; readonly changedAt: EpochSeconds }
  /** Never sent: a follower that speaks for this resource server must start again. */
  | { readonly about: 'resource-server'; readonly id: string };

export interface IdentityState {
  readonly about: 'identity';
  /** SHA-256 of its id: followers learn nothing about identities whose tokens they never see. */
  readonly identity: Hex;
  readonly isAllowed: boolean;
  /** If it is allowed: the integrations that it may not use all the same. */
  readonly except: readonly Integration[];
  readonly keepUntil: EpochSeconds;
}

/** For clocks that differ, and for verifiers that tolerate this. */
const LEEWAY = 300;

/** Changes that are older concern no living JWT. Opaque tokens are introspected, so the feed only has to end cached answers. */
export const FEED_WINDOW: Seconds = seconds(JWT_LIFETIME_MAX + LEEWAY);

export function keepUntil(changedAt: EpochSeconds): EpochSeconds {
  return after(changedAt, FEED_WINDOW);
}
