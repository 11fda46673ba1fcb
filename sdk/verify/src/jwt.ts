// JWTs, checked with the published keys of the service.
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Claims, claimsOf } from './claims.ts';
import type { Settings } from './options.ts';
import { type Service, Unavailable } from './service.ts';

/** Keys are published a day before they sign, so this is often enough. */
const RENEW_MS = 5 * 60_000;
/** An unknown key is looked for at most this often, so that forged tokens cause no load. */
const LOOK_AGAIN_MS = 5_000;
const ALGORITHMS = ['ES256', 'EdDSA', 'RS256'];

export class Jwts {
  readonly #service: Service;
  readonly #settings: Settings;
  #keys: JWTVerifyGetKey | undefined;
  #fetchedAt = 0;
  #triedAt = 0;
  #fetching: Promise<void> | undefined;

  constructor(service: Service, settings: Settings) {
    this.#service = service;
    this.#settings = settings;
  }

  /** Undefined if the token is not a good JWT for this resource server. Throws Unavailable if there are no keys. */
  async read(token: string): Promise<Claims | undefined> {
    if (this.#settings.now() - this.#fetchedAt > RENEW_MS) {
      const renewing = this.#fetch().catch(() => undefined);
      if (!this.#keys) await renewing;
    }
    return this.#verify(token, true);
  }

  async #verify(token: string, mayLook: boolean): Promise<Claims | undefined> {
    if (!this.#keys) throw new Unavailable('the keys of the service could not be loaded');
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

  /** Calls at the same time share one request. The keys of before stay if the service is away. */
  #fetch(): Promise<void> {
    const isTooSoon = this.#settings.now() - this.#triedAt < LOOK_AGAIN_MS;
    if (!this.#fetching && isTooSoon && this.#keys) return Promise.resolve();
    this.#fetching ??= this.#load().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #load(): Promise<void> {
    this.#triedAt = this.#settings.now();
    const found = await this.#service.keys();
    try {
      this.#keys = createLocalJWKSet(found as unknown as JSONWebKeySet);
    } catch {
      throw new Unavailable('the keys of the service cannot be read');
    }
    this.#fetchedAt = this.#settings.now();
  }
}
