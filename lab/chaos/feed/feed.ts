// The revocation feed: how soon followers refuse, and what they miss when streams are cut.
import type { Seeded } from '../../../test/seeded.ts';
import { quantile } from '../../quantiles.ts';
import { cutStreams } from './cuts.ts';
import { FeedField, STORES, type StoreKind } from './feed-field.ts';
import {
  cutAtWorst,
  endAfterRollback,
  endDuringFailover,
  endDuringRestart,
  endInBurst,
  type Freshness,
} from './freshness.ts';
import { refusalLatencies } from './latency.ts';

const FOLLOWERS = 100;
const ROUNDS = 20;
const PROMISED_MS = 1_000;

/** `cuts`: per store. Returns how many promises were broken. */
export async function followFeed(cuts: number, chance: Seeded): Promise<number> {
  let broken = 0;
  for (const kind of STORES)
    broken += await onField(kind, async (field) => {
      const late = await measureLatency(field, kind);
      return late + (await measureCuts(field, kind, cuts, chance));
    });
  return broken;
}

/** Entries that a follower has missed, and followers. */
const WORST: readonly (readonly [backlog: number, followers: number])[] = [
  [0, 1],
  [0, 100],
  [5_000, 1],
  [3_000, 100],
  [3_000, 300],
  [10_000, 100],
  [10_000, 300],
];
const FEW = 20;

/** Returns how often a verifier that said it was fresh accepted the token of an ended grant. */
export async function staysFresh(): Promise<number> {
  let broken = 0;
  for (const kind of STORES)
    broken += await onField(kind, async (field) => {
      let accepted = 0;
      const report = (found: Freshness) => {
        const after = `fresh after ${(found.freshAfterMs / 1000).toFixed(1)} s`;
        console.log(`${kind}: ${found.what}: accepted ${found.accepted} times by fresh verifiers; all ${after}`);
        accepted += found.accepted;
      };
      for (const [backlog, followers] of WORST) report(await cutAtWorst(field, backlog, followers));
      for (const followers of [1, FEW, 300]) report(await endInBurst(field, 10_000, followers));
      report(await endDuringRestart(field, FEW));
      if (field.cluster) report(await endAfterRollback(field, FEW));
      if (field.cluster) report(await endDuringFailover(field, FEW));
      return accepted;
    });
  return broken;
}

async function onField(kind: StoreKind, measure: (field: FeedField) => Promise<number>): Promise<number> {
  const field = await FeedField.start(kind);
  try {
    return await measure(field);
  } finally {
    await field.remove();
  }
}

async function measureLatency(field: FeedField, kind: StoreKind): Promise<number> {
  const latencies = await refusalLatencies(field, await field.guards(FOLLOWERS), ROUNDS);
  field.closeGuards();
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)];
  const figures = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${Math.max(...latencies).toFixed(0)} ms`;
  console.log(`${kind}: from revoke to refusal at ${FOLLOWERS} followers, ${ROUNDS} rounds: ${figures}`);
  return Number(p99 > PROMISED_MS);
}

async function measureCuts(field: FeedField, kind: StoreKind, wanted: number, chance: Seeded): Promise<number> {
  const { cuts, failovers, ended, missed, wronged } = await cutStreams(field, wanted, chance);
  console.log(
    `${kind}: ${cuts} cuts, 1 restart, ${failovers} failovers of the store, ${ended} grants ended: ${missed} missed, ${wronged} wrongly refused`,
  );
  return missed + wronged + Number(ended < Math.ceil(wanted / 4));
}
