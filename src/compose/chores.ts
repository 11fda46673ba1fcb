// The background work of a service, and how often it runs.
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { countByOne } from '../operations/upkeep/figures.ts';
import { markConfidential } from '../operations/upkeep/mark-confidential.ts';
import { SWEEPING, sweep } from '../operations/upkeep/sweep.ts';
import type { Timekeeper } from '../operations/upkeep/timekeeper.ts';
import { walkDirectories } from '../operations/upkeep/walk-directories.ts';
import { followLists } from '../serve/follow-lists.ts';
import { RevocationFollower } from '../serve/follow-revocations.ts';
import type { Chore } from '../serve/watch.ts';
import { byOneNode } from '../store/lease.ts';
import type { FollowedRegistry } from '../store/registry.ts';
import { watchEndings } from './endings.ts';
import { directoryNews } from './log-notices.ts';
import type { Parts } from './parts.ts';

/** The pause between two steps of a sweep. A step takes a tenth of this or more. */
const BREATH_MS = 10;

export function choresOf(
  parts: Parts,
  timekeeper: Timekeeper,
  registry: FollowedRegistry,
  reload: () => Promise<void>,
  logFault: (fault: unknown) => void,
): readonly Chore[] {
  const { ports, judge, metrics, readiness, keeper, refusals, log } = parts;
  const readLists = followLists(judge, registry, logFault);
  const revocations = new RevocationFollower(judge, ports, hostname());
  const endRevoked = async () => {
    const grants = await revocations.follow();
    if (grants > 0) log.warn({ grants }, 'certificates revoked: grants ended');
  };
  const pause = () => sleep(BREATH_MS);
  const sweepOnce = () => sweep(ports, pause);
  const walk = () => walkDirectories(ports, directoryNews(log, metrics.directory));
  const countGrants = async () => {
    const living = await countByOne(keeper, ports, pause);
    if (living) metrics.endingGrants = living.endingByDay.reduce((total, day) => total + day, 0);
  };
  return [
    // A change applies within a second.
    { everyMs: 400, work: async () => (await registry.refresh()) && reload() },
    { everyMs: 2_000, work: reload },
    { everyMs: 1_000, work: () => readiness.look(), atStart: 'awaited' },
    // Lists apply from the first request on. Ending the grants of a long list takes longer, and runs meanwhile.
    { everyMs: 2_000, work: readLists, atStart: 'awaited' },
    { everyMs: 1_000, work: () => judge.revocation.followLists(registry.issuers), atStart: 'awaited' },
    { everyMs: 2_000, work: endRevoked, atStart: 'begun' },
    { everyMs: 60_000, work: async () => timekeeper.maySweep && byOneNode(SWEEPING, sweepOnce, ports) },
    { everyMs: 10_000, work: () => judge.revocation.renewLists(), atStart: 'begun' },
    { everyMs: 5_000, work: () => keeper.keep(ports.clock.now()), atStart: 'begun' },
    { everyMs: 60_000, work: countGrants, atStart: 'begun' },
    { everyMs: 3_000, work: () => refusals.flushFew() },
    { everyMs: 60_000, work: () => refusals.flush() },
    { everyMs: 3_600_000, work: () => markConfidential(ports), atStart: 'begun' },
    ...(ports.directories.elsewhere.length > 0 ? [{ everyMs: 5_000, work: walk, atStart: 'begun' } as const] : []),
    { everyMs: 60_000, work: watchEndings(parts, registry), atStart: 'awaited' },
  ];
}
