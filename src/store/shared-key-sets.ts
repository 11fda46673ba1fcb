import type { SharedKeySet } from '../core/shared-download.ts';
import { fetchByOne } from './lease.ts';
import type { Store } from './store.ts';
import { keySets } from './tables/key-sets.ts';

/** Shares the keys of token issuers through the store: one node fetches, all read. */
export function sharedKeySets({ store }: { readonly store: Store }) {
  return {
    find: async (name: string) => (await store.load(keySets, name)).found?.row,
    byOne: (name: string, work: () => Promise<unknown>) => fetchByOne(`keys ${name}`, work, store),
    share: (next: SharedKeySet) => store.change(keySets, next.name, () => ({ outcome: undefined, next })),
  };
}
