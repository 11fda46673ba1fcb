// The revocation feed: how soon followers refuse, what they miss when streams are cut, and what followers cost that do not read.
import type { Seeded } from '../../../test/seeded.ts';
import { quantile } from '../../quantiles.ts';
import { printTimes } from '../good-caller.ts';
import { cutStreams } from './cuts.ts';
import { ignoreFeed } from './deaf.ts';
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
const DEAF_ENTRIES = 4_000;
/** What a follower that does not read may cost, in MiB: a connection with TLS, and one batch. */
const DEAF_MIB = 0.2;
/** Requests may take this many times as long, and this much more, while entries are sent. */
const SLOWER = 2;
const SLOWER_BY_MS = 100;

/** `cuts`: per store. Returns how many promises were broken. */
export async function followFeed(cuts: number, chance: Seeded): Promise<number> {
  let broken = await staysFresh();
  for (const kind of STORES)
    broken += await onField(kind, async (field) => {
      const late = await measureLatency(field, kind);
      return late + (await measureCuts(field, kind, cuts, chance));
    });
  return broken + (await ignoreFeedOf(1_000));
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
export async function staysFresh(worst = WORST): Promise<number> {
  let broken = 0;
  for (const kind of STORES)
    broken += await onField(kind, async (field) => {
      let accepted = 0;
      const report = (found: Freshness) => {
        const after = `fresh after ${(found.freshAfterMs / 1000).toFixed(1)} s`;
        console.log(`${kind}: ${found.what}: accepted ${found.accepted} times by fresh verifiers; all ${after}`);
        accepted += found.accepted;
      };
      for (const [backlog, followers] of worst) report(await cutAtWorst(field, backlog, followers));
      for (const followers of [1, FEW, 300]) report(await endInBurst(field, 10_000, followers));
      report(await endDuringRestart(field, FEW));
      if (field.cluster) report(await endAfterRollback(field, FEW));
      if (field.cluster) report(await endDuringFailover(field, FEW));
      return accepted;
    });
  return broken;
}

/** Returns how many promises were broken. */
export function ignoreFeedOf(followers: number): Promise<number> {
  return onField('sqlite', (field) => measureDeaf(field, followers));
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

async function measureDeaf(field: FeedField, followers: number): Promise<number> {
  const figures = await ignoreFeed(field, followers, DEAF_ENTRIES);
  const { http1, http2, cut, before, connected, most, alone, meanwhile } = figures;
  console.log(
    `${http1} followers over HTTP/1.1 and ${http2} over HTTP/2 that do not read, ${DEAF_ENTRIES} entries:\n` +
      `  memory ${before} MiB before, ${connected} MiB with them, at most ${most} MiB; of those over HTTP/2, ${cut} were cut\n` +
      `  requests without them: ${printTimes(alone)}\n` +
      `  requests meanwhile:    ${printTimes(meanwhile)}`,
  );
  const isSlow = meanwhile.p99 > SLOWER * alone.p99 + SLOWER_BY_MS;
  const isLarge = most - before > followers * DEAF_MIB;
  return meanwhile.failed + Number(isSlow) + Number(isLarge) + Number(cut < http2);
}
