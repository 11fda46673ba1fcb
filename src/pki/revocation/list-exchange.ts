import type { SharedList } from '../../core/shared-list.ts';

/**
 * How the nodes on one store make sure that one of them fetches a list and all get it. Lists from the store are not
 * trusted more than lists from the network.
 */
export interface ListExchange {
  /** A caller of this node has presented a certificate that names the list. */
  named(url: string): void;
  /** Whether a caller of any node has done so within the lifetime of a grant. */
  isWanted(url: string): boolean;
  /** The lists in use; undefined if nothing has changed since the last call, unless `all` is set. */
  news(all: boolean): Promise<readonly SharedList[] | undefined>;
  find(url: string): Promise<SharedList | undefined>;
  /** In a buffer that nothing else uses. */
  contents(url: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Does the work unless another node is doing it; returns whether this node did it. */
  byOne(url: string, work: () => Promise<unknown>): Promise<boolean>;
  /** Shares the result with the other nodes; without contents, the stored contents stay. */
  share(news: Omit<SharedList, 'askedAt'>, contents?: Uint8Array): Promise<void>;
}

/** For a judge without a store: it fetches everything itself. */
export const ALONE: ListExchange = {
  named: () => undefined,
  isWanted: () => true,
  news: async () => undefined,
  find: async () => undefined,
  contents: async () => undefined,
  byOne: async (_, work) => {
    await work();
    return true;
  },
  share: async () => undefined,
};
