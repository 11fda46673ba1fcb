// A cache of introspections (RFC 7662). Tokens are kept as hashes; concurrent requests for one token are sent once.
import { createHash } from 'node:crypto';
import { type Claims, claimsOf } from './claims.ts';
import type { Settings } from './options.ts';
import type { Service } from './service.ts';

export interface Known {
  /** Undefined: the token is not active. */
  readonly claims: Claims | undefined;
  /** When it was requested, in milliseconds. */
  readonly askedAt: number;
}

export class Introspection {
  readonly #service: Pick<Service, 'introspect'>;
  readonly #settings: Pick<Settings, 'cacheSize' | 'now'>;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<Known>>();

  constructor(service: Pick<Service, 'introspect'>, settings: Pick<Settings, 'cacheSize' | 'now'>) {
    this.#service = service;
    this.#settings = settings;
  }

  /** The last answer, however old, unless the token has expired since. */
  known(token: string): Known | undefined {
    const key = keyOf(token);
    const found = this.#known.get(key);
    if (!found) return undefined;
    this.#known.delete(key);
    if (found.claims && found.claims.expiresAt * 1000 <= this.#settings.now()) return undefined;
    this.#known.set(key, found); // the newest again: the oldest is dropped first
    return found;
  }

  /** Throws Unavailable or Misconfigured. */
  ask(token: string): Promise<Known> {
    const key = keyOf(token);
    const running = this.#asking.get(key);
    if (running) return running;
    const asking = this.#ask(token, key).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  get size(): number {
    return this.#known.size;
  }

  async #ask(token: string, key: string): Promise<Known> {
    const askedAt = this.#settings.now();
    const answer = await this.#service.introspect(token);
    const known = { claims: answer['active'] === true ? claimsOf(answer) : undefined, askedAt };
    this.#known.delete(key);
    this.#known.set(key, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#settings.cacheSize && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}

function keyOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
