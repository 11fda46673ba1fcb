// The pair in a store that processes share: the copy in memory, and the lock.
import { setTimeout as sleep } from 'node:timers/promises';
import { TokenFailure } from './failure.ts';
import type { Patience } from './renewal.ts';
import type { HeldStore, TokenStore } from './store/token-store.ts';
import { dueAt, inSeconds, now, type StoredTokens } from './tokens.ts';

/** How often a waiting process checks the store. */
const LOOK_MS = 40;

export class SharedTokens {
  readonly #store: TokenStore;
  readonly #owner: Pick<StoredTokens, 'server' | 'clientId'>;
  #known: { readonly tokens: StoredTokens; readonly dueAt: number } | undefined;

  constructor(store: TokenStore, owner: Pick<StoredTokens, 'server' | 'clientId'>) {
    this.#store = store;
    this.#owner = owner;
  }

  /** As last loaded or saved by this process. */
  get known(): StoredTokens | undefined {
    return this.#known?.tokens;
  }

  /** What is known, unless it is due. */
  get fresh(): StoredTokens | undefined {
    return this.#known && now() < this.#known.dueAt ? this.#known.tokens : undefined;
  }

  know(tokens: StoredTokens): void {
    if (this.known?.accessToken === tokens.accessToken) return;
    this.#known = { tokens, dueAt: dueAt(tokens, Math.random()) };
  }

  forget(): void {
    this.#known = undefined;
  }

  /** What other processes have stored, if it is fresh. */
  async loadFresh(): Promise<StoredTokens | undefined> {
    await this.load();
    return this.fresh;
  }

  async load(): Promise<StoredTokens | undefined> {
    const found = await this.#store.load();
    const tokens = found && inSeconds(found);
    const { server, clientId } = this.#owner;
    if (tokens && (tokens.server !== server || tokens.clientId !== clientId))
      throw new TokenFailure(
        'usage',
        `${this.#store.name} holds tokens of ${tokens.clientId} at ${tokens.server}`,
        'Name another file.',
      );
    if (tokens) this.know(tokens);
    else this.forget();
    return tokens;
  }

  /** Runs `work` with the lock. While another process has it, `look` may find that the work is done. */
  async locked<T>(
    patience: Patience,
    work: (held: HeldStore) => Promise<T>,
    look?: () => Promise<T | undefined>,
  ): Promise<T> {
    for (;;) {
      patience.signal?.throwIfAborted();
      const held = await this.#store.lock();
      if (held) return releasing(held, work(held));
      const found = await look?.();
      if (found !== undefined) return found;
      if (Date.now() >= patience.until)
        throw new TokenFailure('unavailable', `Another process is busy with ${this.#store.name}`, 'Try again later.');
      await sleep(LOOK_MS * (0.5 + Math.random()), undefined, { signal: patience.signal });
    }
  }
}

async function releasing<T>(held: HeldStore, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } finally {
    await held.release();
  }
}
