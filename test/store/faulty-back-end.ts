// A back end with seeded random faults: errors, delays and lost acknowledgements.
import type { BackEnd, Commit } from '../../src/store/back-end.ts';
import { CommitUnknown, StoreUnavailable } from '../../src/store/store.ts';
import type { Seeded } from '../seeded.ts';

/** The odds of each fault, from 0 to 1. */
export interface Faults {
  /** The store is unavailable; nothing happened. */
  readonly unavailable: number;
  /** The connection breaks before the commit. */
  readonly lostBefore: number;
  /** The connection breaks after the commit. */
  readonly lostAfter: number;
  /** The connection breaks, and the commit lands some time later. */
  readonly lostLate: number;
  /** A load or a commit takes a while. */
  readonly delayed: number;
}

export const NO_FAULTS: Faults = { unavailable: 0, lostBefore: 0, lostAfter: 0, lostLate: 0, delayed: 0 };
const LONGEST_DELAY = 6;

/** Wraps any back end. `faults` is read each time, so that a test can turn faults on and off. */
export function faultyBackEnd(real: BackEnd, faults: () => Faults, chance: Seeded): BackEnd {
  const dawdle = async () => {
    if (chance.chance(faults().delayed)) await turns(1 + chance.below(LONGEST_DELAY));
  };
  return {
    ...real,
    load: async (table, key) => {
      await dawdle();
      if (chance.chance(faults().unavailable)) throw new StoreUnavailable('away, by chance');
      const loaded = await real.load(table, key);
      await dawdle(); // the loaded row may be stale by then
      return loaded;
    },
    commit: async (commit) => {
      await dawdle();
      const result = await commitOrFault(real, commit, faults(), chance);
      await dawdle();
      return result;
    },
  };
}

async function commitOrFault(real: BackEnd, commit: Commit, faults: Faults, chance: Seeded): Promise<boolean> {
  if (chance.chance(faults.unavailable)) throw new StoreUnavailable('away, by chance');
  if (chance.chance(faults.lostBefore)) throw new CommitUnknown('lost before the commit, by chance');
  if (chance.chance(faults.lostAfter)) {
    await real.commit(commit);
    throw new CommitUnknown('lost after the commit, by chance');
  }
  if (chance.chance(faults.lostLate)) {
    void turns(1 + chance.below(LONGEST_DELAY))
      .then(() => real.commit(commit))
      .catch(() => false);
    throw new CommitUnknown('lost while the commit was under way, by chance');
  }
  return real.commit(commit);
}

/** Yields to others that many times. */
export async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise(setImmediate);
}
