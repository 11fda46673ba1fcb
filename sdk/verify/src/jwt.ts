// JWTs, checked with the published keys of the service.
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Claims, claimsOf } from './claims.ts';
import type { Settings } from './options.ts';
import type { Revocations } from './revocations.ts';
import { type Service, Unavailable } from './service.ts';

/** Keys are published a day before they sign, so this is often enough. */
const RENEW_MS = 5 * 60_000;
/** Older keys check nothing: if no others can be loaded, tokens are introspected. */
const MAX_AGE_MS = 60 * 60_000;
/** An unknown key is looked for at most this often, so that forged tokens cause no load. */
const LOOK_AGAIN_MS = 5_000;
const ALGORITHMS = ['ES256', 'EdDSA', 'RS256'];

export class Jwts {
  readonly #service: Service;
  readonly #settings: Settings;
  readonly #revocations: Pick<Revocations, 'keysGoodFrom'>;
  #keys: JWTVerifyGetKey | undefined;
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
    if (!this.#keys || !this.#areWithin(MAX_AGE_MS))
      throw new Unavailable('the keys of the service could not be loaded');
    const { issuer, resourceServer, clockTolerance, now } = this.#settings;
    const { audience } = resourceServer;
    const checks = {
      issuer,
      audience,
      typ: 'at+jwt',
      algorithms: ALGORITHMS,
      clockTolerance,
      currentDate: new Date(now()),
    };
    try {
      const { payload } = await jwtVerify(token, this.#keys, checks);
      return claimsOf(payload);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayLook) return undefined;
      await this.#fetch();
      return this.#verify(token, false);
    }
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
    try {
      this.#keys = createLocalJWKSet(found as unknown as JSONWebKeySet);
    } catch {
      throw new Unavailable('the keys of the service cannot be read');
    }
    this.#fetchedAt = askedAt;
  }
}
