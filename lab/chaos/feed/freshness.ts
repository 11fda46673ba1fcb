// A grant ends at the worst moment: while no follower has a stream, behind a long backlog, during a restart, a failover or a
// rollback of the store. A verifier that says it is fresh must not accept its token.
import { setTimeout as pause } from 'node:timers/promises';
import type { Guard } from '../../../sdk/verify/src/verify.ts';
import { acceptRollback } from '../../../src/operations/admin/after-restore.ts';
import { revokeById } from '../../../src/operations/grant/revoke-grant.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { readHistory } from '../../../src/store/tables/store-history.ts';
import { systemClock } from '../../../src/system.ts';
import { OPERATOR } from '../../../test/samples.ts';
import { decided } from './decided.ts';
import type { FeedField } from './feed-field.ts';

export interface Freshness {
  readonly what: string;
  /** Times that a verifier accepted the token of an ended grant. */
  readonly accepted: number;
  /** From the moment at which streams can be opened until every verifier was fresh. */
  readonly freshAfterMs: number;
}

const LOOK_EVERY_MS = 5;
/** Long: on a busy machine, 300 snapshots of all earlier cases take minutes. */
const PATIENCE_MS = 600_000;
/** The most events of one change. */
const STEP = 5_000;
/** A verifier that is fresh knows everything that was committed longer ago than this, on the busiest machine too. */
const FRESH_MS = 2_000;
/** Revocations after a rollback. */
const AFTER_ROLLBACK = 14;

/** All streams are cut; then the backlog is written, and the grant ends as its last entry. */
export async function cutAtWorst(field: FeedField, backlog: number, followers: number): Promise<Freshness> {
  const { guards, token } = await start(field, followers);
  field.balancer.hold();
  await until('no verifier is fresh', () => guards.every((guard) => !guard.isFresh));
  for (let n = 0; n < backlog; n += STEP) await writeEntries(field, Math.min(STEP, backlog - n));
  await endGrant(field, token);
  field.balancer.release();
  return finish(field, `${backlog} entries, ${followers} followers`, guards, [token]);
}

/** Streams stay open; the grant ends as the last entry of a burst. Soon a verifier knows it, or that it is not fresh. */
export async function endInBurst(field: FeedField, burst: number, followers: number): Promise<Freshness> {
  const { guards, token } = await start(field, followers);
  for (let n = 0; n < burst; n += STEP) await writeEntries(field, Math.min(STEP, burst - n));
  await endGrant(field, token);
  await pause(FRESH_MS);
  return finish(field, `a burst of ${burst}, ${followers} followers`, guards, [token]);
}

/** The grant ends while the service does not run. */
export async function endDuringRestart(field: FeedField, followers: number): Promise<Freshness> {
  const { guards, token } = await start(field, followers);
  await field.stopNodes('SIGKILL');
  await endGrant(field, token);
  await field.startNodes();
  return finish(field, `a restart, ${followers} followers`, guards, [token]);
}

/** The grant ends as soon as the new primary accepts it. Streams that survive must say it. */
export async function endDuringFailover(field: FeedField, followers: number): Promise<Freshness> {
  const { guards, token } = await start(field, followers);
  await field.cluster?.severReplication();
  await field.cluster?.killPrimary();
  await field.cluster?.takeOver();
  await endGrant(field, token);
  await pause(FRESH_MS);
  return finish(field, `a failover, ${followers} followers`, guards, [token]);
}

/** An operator accepts that the database was put back; then grants end, under numbers that were in use before. */
export async function endAfterRollback(field: FeedField, followers: number): Promise<Freshness> {
  const { cluster, store } = field;
  if (!cluster) throw new Error('only a PostgreSQL is put back under a running service');
  const tokens = await Promise.all(Array.from({ length: AFTER_ROLLBACK }, () => field.token('jwt')));
  const guards = await field.guards(followers);
  await until('every verifier is fresh', () => guards.every((guard) => guard.isFresh));
  await cluster.copy();
  await reached(() => writeEntries(field, AFTER_ROLLBACK, 1));
  await pause(FRESH_MS); // every follower has them, and every node has looked
  await cluster.putBack();
  await until(
    'a node has noticed it',
    async () => (await readHistory(store).catch(() => undefined))?.rollback !== undefined,
  );
  await acceptRollback({ store, by: OPERATOR });
  for (const token of tokens) await endGrant(field, token);
  await pause(FRESH_MS);
  return finish(field, `a rollback, ${followers} followers`, guards, tokens);
}

async function start(field: FeedField, followers: number): Promise<{ guards: readonly Guard[]; token: string }> {
  const guards = await field.guards(followers);
  const token = await field.token('jwt');
  await until('every verifier is fresh', () => guards.every((guard) => guard.isFresh));
  for (const guard of guards) if (!(await decided(guard, token)).ok) throw new Error('a good token was refused');
  return { guards, token };
}

/** Looks until every verifier is fresh and refuses the tokens. */
async function finish(
  field: FeedField,
  what: string,
  guards: readonly Guard[],
  tokens: readonly string[],
): Promise<Freshness> {
  const began = performance.now();
  let accepted = 0;
  const look = async (guard: Guard): Promise<boolean> => {
    if (!guard.isFresh) return false;
    let isRefused = true;
    for (const token of tokens) {
      const checked = await guard.check(token);
      if (checked.ok) accepted += 1;
      if (checked.ok || checked.reason !== 'token-invalid') isRefused = false;
    }
    return isRefused && guard.isFresh;
  };
  for (let left = [...guards]; left.length > 0; await pause(LOOK_EVERY_MS)) {
    const isDone = await Promise.all(left.map(look));
    left = left.filter((_, n) => !isDone[n]);
    if (performance.now() - began > PATIENCE_MS) {
      accepted += left.length; // they never learned of it
      break;
    }
  }
  field.closeGuards();
  return { what, accepted, freshAfterMs: performance.now() - began };
}

/** In the store, as another node does it. */
export async function endGrant({ store }: FeedField, token: string): Promise<void> {
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
  const grantId = jti.split('.')[0] as Parameters<typeof revokeById>[0];
  await reached(() => revokeById(grantId, 'by-operator', { store, by: OPERATOR }));
}

/** Events of grants that never existed: the service sends them like any other. */
async function writeEntries({ store }: FeedField, count: number, changes = 1): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => ({
    type: 'revoked' as const,
    detail: { reason: 'by-caller' } as const,
    at: systemClock.now(),
    subjectId: n.toString(16).padStart(32, 'd'),
  }));
  for (let n = 0; n < changes; n++) await store.change(integrations, 'none', () => ({ outcome: undefined, events }));
}

/** The store may be away for a moment. */
async function reached(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return void (await work());
    } catch (fault) {
      if (tries > 200) throw fault;
      await pause(100);
    }
  }
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await holds()); await pause(LOOK_EVERY_MS))
    if (performance.now() > end) throw new Error(`did not happen within ${PATIENCE_MS / 1000} s: ${what}`);
}
