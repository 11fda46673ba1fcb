// Followers that do not read: the service must hold little for them, cut them, and serve others as before.
import { setTimeout as pause } from 'node:timers/promises';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { systemClock } from '../../../src/system.ts';
import { GoodCaller, type Times } from '../good-caller.ts';
import { deafFollowers } from './deaf-followers.ts';
import type { FeedField } from './feed-field.ts';
import { memoryOf, watchMemory } from './memory-watch.ts';
import { targetOf } from './target.ts';

export interface DeafFigures {
  readonly http1: number;
  readonly http2: number;
  /** How many of those over HTTP/2 were cut. */
  readonly cut: number;
  /** Physical memory of all processes of the service, in MiB: without followers, with them, and the most while entries are sent. */
  readonly before: number;
  readonly connected: number;
  readonly most: number;
  /** Requests for tokens: without followers, and while entries are sent. */
  readonly alone: Times;
  readonly meanwhile: Times;
}

const ALONE_MS = 5_000;
/** Longer than a follower may take to read. */
const MEANWHILE_MS = 15_000;
/** On a busy machine, the last ones are cut later. */
const CUT_WITHIN_MS = 15_000;
const STEP = 500;
const STEP_EVERY_MS = 250;

export async function ignoreFeed(field: FeedField, followers: number, entries: number): Promise<DeafFigures> {
  field.closeGuards(); // they would use the processor
  const target = targetOf(field);
  const caller = new GoodCaller(target, field.home.authority.issue({ commonName: 'ada' }));
  await caller.callFor(1_000);
  const alone = await caller.callFor(ALONE_MS);
  const before = memoryOf(field.pids);
  const deaf = await deafFollowers(target, followers, await cursorOf(field, target.authorization));
  const most = watchMemory(field.pids);
  const connected = memoryOf(field.pids);
  const [meanwhile] = await Promise.all([caller.callFor(MEANWHILE_MS), sendAll(field, entries)]);
  for (const until = performance.now() + CUT_WITHIN_MS; deaf.cut < deaf.http2 && performance.now() < until; )
    await pause(100);
  const { http1, http2, cut } = deaf;
  deaf.close();
  caller.close();
  return { http1, http2, cut, before, connected, most: most(), alone, meanwhile };
}

async function cursorOf({ caller }: FeedField, authorization: string): Promise<string> {
  const answer = await caller.ask({ path: '/oauth2/revocations', headers: { authorization } });
  return String(answer.json['cursor']);
}

async function sendAll(field: FeedField, entries: number): Promise<void> {
  for (let sent = 0; sent < entries; sent += STEP) {
    await sendEntries(field, sent);
    await pause(STEP_EVERY_MS);
  }
}

/** Events of grants that never existed: the service sends them like any other. */
async function sendEntries({ store }: FeedField, first: number): Promise<void> {
  const events = Array.from({ length: STEP }, (_, n) => ({
    type: 'revoked' as const,
    detail: { reason: 'by-caller' } as const,
    at: systemClock.now(),
    subjectId: (first + n).toString(16).padStart(32, 'd'),
  }));
  await store.change(integrations, 'none', () => ({ outcome: undefined, events }));
}
