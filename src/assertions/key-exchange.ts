import type { SharedKeySet } from '../core/shared-key-set.ts';

/** How the nodes on one store make sure that one of them fetches a key set and all get it. */
export interface KeyExchange {
  find(name: string): Promise<SharedKeySet | undefined>;
  /** Does the work unless another node is doing it; returns whether this node did it. */
  byOne(name: string, work: () => Promise<unknown>): Promise<boolean>;
  share(set: SharedKeySet): Promise<void>;
}

/** Without a store: fetches everything itself. */
export const ALONE: KeyExchange = {
  find: async () => undefined,
  byOne: async (_, work) => {
    await work();
    return true;
  },
  share: async () => undefined,
};
