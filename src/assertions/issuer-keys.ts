// The keys of token issuers, in memory. One node fetches a key set, all nodes share it through the store.
import { hash } from 'node:crypto';
import { oncePer } from '../core/once-per.ts';
import type { SharedKeySet } from '../core/shared-download.ts';
import type { EpochSeconds } from '../core/time.ts';
import type { TokenIssuer } from '../core/token-issuer.ts';
import type { Fetch } from '../outbound/download.ts';
import { ALONE, type Exchange, fetchUnlessShared, waitAtMost } from '../outbound/shared-download.ts';
import { fetchKeys } from './fetch-keys.ts';
import { type KeySet, readKeySet } from './key-set.ts';

export interface KeyPorts {
  readonly fetch: Fetch;
  readonly now: () => EpochSeconds;
  /** Present if several nodes share the store. */
  readonly exchange?: Exchange<SharedKeySet>;
  /** Logs why keys could not be fetched; once, not on every attempt. */
  readonly logFailure?: (label: string, why: string) => void;
}

/** How long a key is used after its token issuer withdrew it. */
const RENEW_SECONDS = 600;
const RETRY_SECONDS = 60;
/** How long keys are used while fetching them fails: no response, an error status, or no key set. */
const TRUSTED_SECONDS = 86_400;
/** The longest that a request waits; the fetch continues. */
const WAIT_MS = 12_000;
/** Fetches for unknown keys: in a row, then at this interval. Unauthenticated callers choose the `kid`. */
const AT_ONCE = 5;
const EVERY_SECONDS = 10;
/** How many requests wait for one token issuer: a slow one must not take all slots. */
const MOST_WAITING = 64;
/** How many key sets are kept that are not renewed. */
const MOST_RECENT = 1_000;

/** What was asked of a token issuer for keys that were not known. */
interface Asked {
  waiting: number;
  /** When the requests that were sent no longer count. */
  freeAt: number;
  running?: Promise<void>;
  /** The fetch that has not begun. */
  next?: Promise<KeySet | undefined>;
}

interface Held {
  readonly shared: SharedKeySet;
  readonly set: KeySet | undefined;
}

export class IssuerKeys {
  readonly #ports: Required<KeyPorts>;
  readonly #held = new Map<string, Held>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #asked = new Map<string, Asked>();
  readonly #logged = new Map<string, string>();

  constructor(ports: KeyPorts) {
    this.#ports = { exchange: ALONE, logFailure: () => undefined, ...ports };
  }

  /** Waits only if there are none yet. Undefined if they cannot be fetched. */
  async keysOf(tokenIssuer: TokenIssuer): Promise<KeySet | undefined> {
    const known = this.#trusted(tokenIssuer);
    if (known || tokenIssuer.keys.from === 'file') return known;
    // A fault of the store is dropped: there are no keys then.
    await waitAtMost(WAIT_MS, this.#renew(tokenIssuer, RETRY_SECONDS)).catch(() => undefined);
    return this.#trusted(tokenIssuer);
  }

  /** For an assertion by none of the known keys: the keys as published after this call. Undefined if they cannot be fetched now. */
  async newestKeys(tokenIssuer: TokenIssuer): Promise<KeySet | undefined> {
    if (tokenIssuer.keys.from === 'file') return this.#trusted(tokenIssuer);
    const name = nameOf(tokenIssuer);
    const asked = this.#asked.get(name) ?? { waiting: 0, freeAt: 0 };
    this.#asked.set(name, asked);
    if (asked.waiting >= MOST_WAITING) return undefined;
    asked.waiting += 1;
    // One fetch for all who wait. One that has begun does not count: it may have been answered before this key was published.
    asked.next ??= this.#fetchNext(tokenIssuer, name, asked);
    let newest: KeySet | undefined;
    const got = asked.next.then((set) => {
      newest = set;
    });
    await waitAtMost(WAIT_MS, got).catch(() => undefined);
    asked.waiting -= 1;
    return newest;
  }

  async #fetchNext(tokenIssuer: TokenIssuer, name: string, asked: Asked): Promise<KeySet | undefined> {
    await asked.running?.catch(() => undefined);
    // Another node may have fetched other keys just now. The same keys again may be older than the one that is sought.
    const shared = await this.#ports.exchange.find(name).catch(() => undefined);
    delete asked.next;
    const now = this.#ports.now();
    const isNews = shared?.fetched && shared.fetched.text !== this.#held.get(name)?.shared.fetched?.text;
    if (isNews && shared.fetched.at >= now) {
      this.#take(shared);
      return this.#trusted(tokenIssuer);
    }
    const latest = now + AT_ONCE * EVERY_SECONDS;
    asked.freeAt = Math.min(Math.max(asked.freeAt, now), latest); // the clock may have been set back
    if (asked.freeAt + EVERY_SECONDS > latest) return undefined;
    asked.freeAt += EVERY_SECONDS;
    asked.running = this.#fetch(tokenIssuer, name);
    await asked.running;
    return this.failureOf(tokenIssuer) === undefined ? this.#trusted(tokenIssuer) : undefined;
  }

  /** Whether `keysOf` needs no fetch. */
  hasKeysOf(tokenIssuer: TokenIssuer): boolean {
    return this.#trusted(tokenIssuer) !== undefined;
  }

  failureOf(tokenIssuer: TokenIssuer): string | undefined {
    return this.#held.get(nameOf(tokenIssuer))?.shared.failure;
  }

  /** Called every few seconds: takes what other nodes fetched, renews what is due, forgets others after so many seconds. */
  async renewAll(tokenIssuers: readonly TokenIssuer[], forgetAfter = 0): Promise<void> {
    const fetched = tokenIssuers.filter(({ keys }) => keys.from !== 'file');
    const names = new Set([...tokenIssuers.map(nameOf), ...this.#checkedWithin(forgetAfter)]);
    for (const known of [this.#held, this.#logged, this.#asked]) {
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    }
    await Promise.all(fetched.map((tokenIssuer) => this.#renew(tokenIssuer, RENEW_SECONDS)));
  }

  #checkedWithin(age: number): readonly string[] {
    const now = this.#ports.now();
    const isRecent = ({ shared }: Held) => Math.abs(now - shared.checkedAt) < age;
    const recent = [...this.#held].filter(([, held]) => isRecent(held));
    return recent.slice(-MOST_RECENT).map(([name]) => name);
  }

  #trusted(tokenIssuer: TokenIssuer): KeySet | undefined {
    const name = nameOf(tokenIssuer);
    if (tokenIssuer.keys.from === 'file') return this.#fromFile(name, tokenIssuer.keys.set);
    const { shared, set } = this.#held.get(name) ?? {};
    const isFresh = shared?.fetched && this.#ports.now() < shared.fetched.at + TRUSTED_SECONDS;
    return isFresh ? set : undefined;
  }

  #fromFile(name: string, text: string): KeySet | undefined {
    const held = this.#held.get(name) ?? { shared: { name, checkedAt: this.#ports.now() }, set: setOf(text) };
    this.#held.set(name, held);
    return held.set;
  }

  /** One renewal per token issuer at a time, shared by all who wait. `age`: how long ago the last attempt must be. */
  #renew(tokenIssuer: TokenIssuer, age: number): Promise<void> {
    const name = nameOf(tokenIssuer);
    if (!this.#isDue(name, age)) return Promise.resolve();
    const isDue = () => this.#isStillDue(name, age);
    const fetch = () => this.#fetch(tokenIssuer, name);
    const running =
      this.#underWay.get(name) ??
      fetchUnlessShared(name, this.#ports.exchange, isDue, fetch).finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, running);
    return running;
  }

  /** After a failure, the next attempt is not delayed as long as after a success. */
  #isDue(name: string, age: number): boolean {
    const { shared } = this.#held.get(name) ?? {};
    if (!shared) return true;
    const wait = shared.failure === undefined ? age : Math.min(age, RETRY_SECONDS);
    return this.#ports.now() >= shared.checkedAt + wait || shared.checkedAt > this.#ports.now() + RETRY_SECONDS;
  }

  async #isStillDue(name: string, age: number): Promise<boolean> {
    const shared = await this.#ports.exchange.find(name);
    if (shared) this.#take(shared);
    return this.#isDue(name, age);
  }

  async #fetch(tokenIssuer: TokenIssuer, name: string): Promise<void> {
    const got = await fetchKeys(tokenIssuer, this.#ports.fetch);
    const checkedAt = this.#ports.now();
    const before = this.#held.get(name)?.shared.fetched;
    const shared: SharedKeySet = got.ok
      ? { name, checkedAt, fetched: { at: checkedAt, text: got.value.text } }
      : { name, checkedAt, failure: got.refusal, ...(before && { fetched: before }) };
    this.#take(shared);
    const isEmpty = got.ok && this.#held.get(name)?.set?.isEmpty;
    const flaw = (got.ok && got.value.flaw) || (isEmpty ? 'it publishes no key for signatures' : shared.failure);
    this.#log(tokenIssuer.label, name, flaw);
    await this.#ports.exchange.share(shared);
  }

  /** The same keys again stay the same object: it holds keys that were imported already. */
  #take(shared: SharedKeySet): void {
    const { set: before } = this.#held.get(shared.name) ?? {};
    const text = shared.fetched?.text ?? '';
    const set = text === before?.text ? before : setOf(text);
    this.#held.set(shared.name, { shared, set });
  }

  #log(label: string, name: string, failure: string | undefined): void {
    if (failure === undefined) this.#logged.delete(name);
    else if (this.#logged.get(name) !== failure) {
      this.#logged.set(name, failure);
      this.#ports.logFailure(label, failure);
    }
  }
}

function setOf(text: string): KeySet | undefined {
  const read = readKeySet(text);
  return read.ok ? read.value : undefined;
}

/** Keys that were fetched under other settings are not used. */
const nameOf = oncePer(
  ({ label, issuer, keys }: TokenIssuer) => `${label} ${hash('sha256', JSON.stringify([issuer, keys]), 'hex')}`,
);
