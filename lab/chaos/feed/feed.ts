// The revocation feed: how soon followers refuse, what they miss when streams are cut, and what followers cost that do not read.
import type { Seeded } from '../../../test/seeded.ts';
import { percentile } from '../drill-nodes.ts';
import { cutStreams } from './cuts.ts';
import { ignoreFeed } from './deaf.ts';
import { FeedField, STORES, type StoreKind } from './feed-field.ts';
import { refusalLatencies } from './latency.ts';

const FOLLOWERS = 100;
const ROUNDS = 20;
const PROMISED_MS = 1_000;
const DEAF = 1_000;
const DEAF_ENTRIES = 4_000;
/** What a follower that does not read may cost, in MiB: a connection with TLS, and one batch. */
const DEAF_MIB = 0.25;

/** `cuts`: per store. Returns how many promises were broken. */
export async function followFeed(cuts: number, chance: Seeded): Promise<number> {
  let broken = 0;
  for (const kind of STORES) broken += await drill(kind, cuts, chance);
  return broken;
}

async function drill(kind: StoreKind, cuts: number, chance: Seeded): Promise<number> {
  const field = await FeedField.start(kind);
  try {
    const late = await measureLatency(field, kind);
    const missed = await measureCuts(field, kind, cuts, chance);
    return late + missed + (kind === 'sqlite' ? await measureDeaf(field) : 0);
  } finally {
    await field.remove();
  }
}

async function measureLatency(field: FeedField, kind: StoreKind): Promise<number> {
  const latencies = await refusalLatencies(field, await field.guards(FOLLOWERS), ROUNDS);
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  const figures = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, longest ${Math.max(...latencies).toFixed(0)} ms`;
  console.log(`${kind}: from revoke to refusal at ${FOLLOWERS} followers, ${ROUNDS} rounds: ${figures}`);
  return Number(p99 > PROMISED_MS);
}

async function measureCuts(field: FeedField, kind: StoreKind, wanted: number, chance: Seeded): Promise<number> {
  const { cuts, ended, missed, wronged } = await cutStreams(field, wanted, chance);
  console.log(
    `${kind}: ${cuts} cuts and a restart, ${ended} grants ended: ${missed} missed, ${wronged} wrongly refused`,
  );
  return missed + wronged + Number(ended < Math.ceil(wanted / 4));
}

async function measureDeaf(field: FeedField): Promise<number> {
  const { followers, entries, before, connected, during, cut, p99Alone, p99, failed } = await ignoreFeed(
    field,
    DEAF,
    DEAF_ENTRIES,
  );
  console.log(
    `${followers} followers that do not read, ${entries} entries: memory ${before} → ${connected} MiB connected → ${during} MiB, ` +
      `${cut} were cut; requests: p99 ${p99Alone.toFixed(0)} ms before, ${p99.toFixed(0)} ms meanwhile, ${failed} failed`,
  );
  return failed + Number(during - before > followers * DEAF_MIB);
}
