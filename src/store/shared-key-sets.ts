import type { SharedKeySet } from '../core/shared-key-set.ts';
import { fetchByOne } from './lease.ts';
import type { Store } from './store.ts';
import { keySets } from './tables/key-sets.ts';

/** Shares the keys of token issuers through the store: one node fetches, all read. */
export class SharedKeySets {
  readonly #store: Store;

  constructor({ store }: { readonly store: Store }) {
    this.#store = store;
  }

  async find(name: string): Promise<SharedKeySet | undefined> {
    return (await this.#store.load(keySets, name)).found?.row;
  }

  byOne(name: string, work: () => Promise<unknown>): Promise<boolean> {
    return fetchByOne(`keys ${name}`, work, this.#store);
  }

  share(next: SharedKeySet): Promise<void> {
    return this.#store.change(keySets, next.name, () => ({ outcome: undefined, next }));
  }
}
