// JWTs, checked with the published keys of the service.
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Claims, claimsOf } from './claims.ts';
import type { Settings } from './options.ts';
import type { Revocations } from './revocations.ts';
import { type Service, Unavailable } from './service.ts';
import { TokenCache } from './token-cache.ts';

/** Keys are published a day before they sign, so this is often enough. */
const RENEW_MS = 5 * 60_000;
/** Older keys check nothing: if no others can be loaded, tokens are introspected. */
const MAX_AGE_MS = 60 * 60_000;
/** An unknown key is looked for at most this often, so that forged tokens cause no load. */
const LOOK_AGAIN_MS = 5_000;
const ALGORITHMS = ['ES256', 'EdDSA', 'RS256'];

/** A published key set, and the tokens that it has signed: with other keys, each is checked again. */
interface Keys {
  readonly published: string;
  readonly find: JWTVerifyGetKey;
  readonly signed: TokenCache<Signed>;
}

interface Signed {
  readonly claims: Claims;
  /** By the clock of the machine, in milliseconds. */
  readonly checkedAt: number;
}

export class Jwts {
  readonly #service: Service;
  readonly #settings: Settings;
  readonly #revocations: Pick<Revocations, 'keysGoodFrom'>;
  #keys: Keys | undefined;
  /** When they were requested. */
  #fetchedAt = 0;
  #triedAt = 0;
  #fetching: Promise<void> | undefined;

  constructor(service: Service, settings: Settings, revocations: Pick<Revocations, 'keysGoodFrom'>) {
    this.#service = service;
    this.#settings = settings;
    this.#revocations = revocations;
  }

  /** Undefined if the token is not a good JWT for this resource server. Throws Unavailable if there are no current keys. */
  async read(token: string): Promise<Claims | undefined> {
    if (!this.#areWithin(RENEW_MS) && this.#settings.now() > this.#revocations.keysGoodFrom) {
      const renewing = this.#fetch().catch(() => undefined);
      if (!this.#areWithin(MAX_AGE_MS)) await renewing;
    }
    return this.#verify(token, true);
  }

  /** Whether the keys are current, and not older than this. */
  #areWithin(longest: number): boolean {
    const age = this.#settings.now() - this.#fetchedAt;
    const isCurrent = this.#keys !== undefined && this.#fetchedAt > this.#revocations.keysGoodFrom;
    return isCurrent && age >= 0 && age <= longest; // a negative age: the clock was set back
  }

  async #verify(token: string, mayLook: boolean): Promise<Claims | undefined> {
    const keys = this.#keys;
    if (!keys || !this.#areWithin(MAX_AGE_MS)) throw new Unavailable('the keys of the service could not be loaded');
    const known = keys.signed.get(token, (signed) => this.#isCurrent(signed));
    if (known) return known.claims;
    const { issuer, resourceServer, clockTolerance, now } = this.#settings;
    const checkedAt = now();
    const { audience } = resourceServer;
    const checks = {
      issuer,
      audience,
      typ: 'at+jwt',
      algorithms: ALGORITHMS,
      clockTolerance,
      currentDate: new Date(checkedAt),
    };
    try {
      const { payload } = await jwtVerify(token, keys.find, checks);
      const claims = claimsOf(payload);
      if (claims) keys.signed.set(token, { claims, checkedAt });
      return claims;
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayLook) return undefined;
      await this.#fetch();
      return this.#verify(token, false);
    }
  }

  /** Whether a second look would find the same. If the clock was set back, a token may not be valid yet. */
  #isCurrent({ claims, checkedAt }: Signed): boolean {
    const now = this.#settings.now();
    return now >= checkedAt && claims.expiresAt > Math.floor(now / 1000) - this.#settings.clockTolerance;
  }

  /** Calls at the same time share one request. The keys of before stay if the service is away, up to their greatest age. */
  #fetch(): Promise<void> {
    const since = this.#settings.now() - this.#triedAt;
    const isTooSoon = since >= 0 && since < LOOK_AGAIN_MS;
    if (!this.#fetching && isTooSoon && this.#keys) return Promise.resolve();
    this.#fetching ??= this.#load().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #load(): Promise<void> {
    const askedAt = this.#settings.now();
    this.#triedAt = askedAt;
    const found = await this.#service.keys();
    const published = JSON.stringify(found);
    if (published !== this.#keys?.published) this.#keys = keysIn(published, this.#settings.cacheSize);
    this.#fetchedAt = askedAt;
  }
}

function keysIn(published: string, cacheSize: number): Keys {
  try {
    const find = createLocalJWKSet(JSON.parse(published) as JSONWebKeySet);
    return { published, find, signed: new TokenCache(cacheSize) };
  } catch {
    throw new Unavailable('the keys of the service cannot be read');
  }
}
