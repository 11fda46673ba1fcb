// Streams are cut at random while grants end and the service is restarted. Compared with the event log, nothing may be missed.
import { setTimeout as pause } from 'node:timers/promises';
import type { Guard } from '../../../sdk/verify/src/verify.ts';
import { eventPages } from '../../../src/store/pages.ts';
import { revoke } from '../../../test/e2e/steps.ts';
import type { Seeded } from '../../../test/seeded.ts';
import { decided } from './decided.ts';
import type { FeedField } from './feed-field.ts';

const FOLLOWERS = 5;
const CUT_EVERY_MS = 20;
const CAUGHT_UP_WITHIN_MS = 60_000;
/** What a guard says that knows it from the feed; one that asked the service has another text. */
const KNOWN_FROM_FEED = 'The grant of this token has ended.';

export interface CutFigures {
  readonly cuts: number;
  readonly failovers: number;
  readonly ended: number;
  /** Tokens of ended grants that a follower still allows. */
  readonly missed: number;
  /** Tokens of living grants that a follower refuses. */
  readonly wronged: number;
}

/** One grant ends for every four cuts. The service is killed once and started again; then the primary of the store, if it has a standby. */
export async function cutStreams(field: FeedField, cuts: number, chance: Seeded): Promise<CutFigures> {
  const tokens = await Promise.all(Array.from({ length: Math.ceil(cuts / 4) }, () => field.token('jwt')));
  const [living, last] = [await field.token('jwt'), await field.token('jwt')];
  const guards = await field.guards(FOLLOWERS);
  const before = await endedGrants(field);
  let cut = 0;
  const ending = endAll(field, tokens);
  const breaking = restart(field).then(() => failOver(field));
  while (cut < cuts) {
    if (field.balancer.cutOne(chance)) cut += 1;
    await pause(chance.below(2 * CUT_EVERY_MS));
  }
  const [, failovers] = await Promise.all([ending, breaking]);
  const ended = (await endedGrants(field)) - before;
  await endAll(field, [last]);
  await caughtUp(guards, last);
  const missed = await countAllowed(guards, tokens);
  const wronged = guards.length - (await countAllowed(guards, [living]));
  return { cuts: cut, failovers, ended, missed, wronged };
}

/** Cut connections fail: the caller repeats the request until it is answered. */
async function endAll(field: FeedField, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    for (;;) {
      const answer = await revoke(field.caller, token).catch(() => undefined);
      // 401: an earlier attempt succeeded, and its response was cut.
      if (answer?.status === 200 || answer?.status === 401) break;
      await pause(CUT_EVERY_MS);
    }
    await pause(CUT_EVERY_MS);
  }
}

async function restart(field: FeedField): Promise<void> {
  await pause(1_000);
  await field.stopNodes('SIGKILL');
  await field.startNodes();
}

/** Returns how often. */
async function failOver({ cluster }: FeedField): Promise<number> {
  if (!cluster) return 0;
  await pause(1_000);
  await cluster.severReplication();
  await cluster.killPrimary();
  await cluster.takeOver();
  return 1;
}

async function endedGrants({ store }: FeedField): Promise<number> {
  let ended = 0;
  for await (const page of eventPages(store, 1_000, { acts: true }))
    ended += page.filter(({ type }) => type === 'revoked').length;
  return ended;
}

/** The feed tells what ended in order: a follower that knows the last of them was told all. */
async function caughtUp(guards: readonly Guard[], last: string): Promise<void> {
  const until = performance.now() + CAUGHT_UP_WITHIN_MS;
  for (const guard of guards) {
    while (!(guard.isFresh && (await isKnownEnded(guard, last)))) {
      if (performance.now() > until) throw new Error('a follower did not hear of the last revocation within a minute');
      await pause(20);
    }
  }
}

async function isKnownEnded(guard: Guard, token: string): Promise<boolean> {
  const checked = await decided(guard, token);
  return !checked.ok && checked.description === KNOWN_FROM_FEED;
}

/** A fresh guard decides about a JWT by what the feed said, without a request. */
async function countAllowed(guards: readonly Guard[], tokens: readonly string[]): Promise<number> {
  let allowed = 0;
  for (const guard of guards) for (const token of tokens) allowed += Number((await decided(guard, token)).ok);
  return allowed;
}
