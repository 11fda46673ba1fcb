import type { SharedList } from '../../core/shared-list.ts';

/**
 * How the nodes on one store see to it that one of them fetches a list, and all have it. What comes from it is believed no
 * more than what comes over the network.
 */
export interface ListExchange {
  /** A caller of this node has presented a certificate that names the list. */
  asked(url: string): void;
  /** Whether callers of any node have done so within the time that their grants may last. */
  isWanted(url: string): boolean;
  /** The lists that are wanted; nothing where nothing has changed since they were last read, unless all are asked for. */
  news(all: boolean): Promise<readonly SharedList[] | undefined>;
  find(url: string): Promise<SharedList | undefined>;
  contents(url: string): Promise<Uint8Array | undefined>;
  /** Does the work unless another node is at it; says whether it was this one. */
  byOne(url: string, work: () => Promise<unknown>): Promise<boolean>;
  /** Tells the others; without contents, those told before stay. */
  tell(news: Omit<SharedList, 'askedAt'>, contents?: Uint8Array): Promise<void>;
}

/** For a judge without a store: it fetches for itself. */
export const ALONE: ListExchange = {
  asked: () => undefined,
  isWanted: () => true,
  news: async () => undefined,
  find: async () => undefined,
  contents: async () => undefined,
  byOne: async (_, work) => {
    await work();
    return true;
  },
  tell: async () => undefined,
};
