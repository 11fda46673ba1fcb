// Downloads that the nodes on one store share: one node fetches, all get it.
import { setTimeout as sleep } from 'node:timers/promises';

/** How nodes share what one of them fetched. What comes from the store is not trusted more than what comes from the network. */
export interface Exchange<Shared> {
  find(name: string): Promise<Shared | undefined>;
  /** Does the work unless another node is doing it; returns whether this node did it. */
  byOne(name: string, work: () => Promise<unknown>): Promise<boolean>;
  share(news: Shared): Promise<void>;
}

/** Without a store: fetches everything itself. */
export const ALONE: Exchange<never> = {
  find: async () => undefined,
  byOne: async (_, work) => {
    await work();
    return true;
  },
  share: async () => undefined,
};

const LOOK_AGAIN_MS = 250;

/** Fetches, or waits until another node has. `isDue` takes what others shared, and says whether it has to be fetched still. */
export async function fetchUnlessShared(
  name: string,
  exchange: Pick<Exchange<never>, 'byOne'>,
  isDue: () => Promise<boolean>,
  fetch: () => Promise<unknown>,
): Promise<void> {
  while (await isDue()) {
    // Check again while holding the lease: another node may have fetched it in the meantime.
    if (await exchange.byOne(name, async () => (await isDue()) && fetch())) return;
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Waits for work that others share, at most this long. A fault before then is thrown; a later one is left to the others. */
export async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds).unref();
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
