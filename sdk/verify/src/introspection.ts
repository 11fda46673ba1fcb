// A cache of introspections (RFC 7662). Concurrent requests for one token are sent once.
import { type Claims, claimsOf } from './claims.ts';
import type { Settings } from './options.ts';
import type { Service } from './service.ts';
import { hashOf, TokenCache } from './token-cache.ts';

export interface Known {
  /** Undefined: the token is not active. */
  readonly claims: Claims | undefined;
  /** When it was requested, in milliseconds. */
  readonly askedAt: number;
}

export class Introspection {
  readonly #service: Pick<Service, 'introspect'>;
  readonly #settings: Pick<Settings, 'cacheSize' | 'now'>;
  readonly #known: TokenCache<Known>;
  readonly #asking = new Map<string, Promise<Known>>();

  constructor(service: Pick<Service, 'introspect'>, settings: Pick<Settings, 'cacheSize' | 'now'>) {
    this.#service = service;
    this.#settings = settings;
    this.#known = new TokenCache(settings.cacheSize);
  }

  /** The last answer, however old, unless the token has expired since. */
  known(token: string): Known | undefined {
    const now = this.#settings.now();
    return this.#known.get(token, ({ claims }) => !claims || claims.expiresAt * 1000 > now);
  }

  /** Throws Unavailable or Misconfigured. */
  ask(token: string): Promise<Known> {
    const key = hashOf(token);
    const running = this.#asking.get(key);
    if (running) return running;
    const asking = this.#ask(token).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  get size(): number {
    return this.#known.size;
  }

  async #ask(token: string): Promise<Known> {
    const askedAt = this.#settings.now();
    const answer = await this.#service.introspect(token);
    const known = { claims: answer['active'] === true ? claimsOf(answer) : undefined, askedAt };
    this.#known.set(token, known);
    return known;
  }
}
