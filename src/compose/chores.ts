// The background work of a service: how often it runs, by whom, and whether also at the start.
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventWatch } from '../operations/upkeep/event-watch.ts';
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

interface Timing extends Pick<Chore, 'everyMs' | 'atStart'> {
  /** `one node`: it takes a lease (store/lease.ts) and does it for all; if there are several lists or directories, one for each. */
  readonly by: 'each node' | 'one node';
}

/** All of it. What is awaited at the start runs in this order. */
const CHORES = {
  report: { everyMs: 2_000, by: 'each node', atStart: 'awaited' },
  events: { everyMs: 1_000, by: 'each node', atStart: 'begun' },
  history: { everyMs: 400, by: 'each node' },
  // A change applies within a second.
  registry: { everyMs: 400, by: 'each node' },
  'files of listeners': { everyMs: 2_000, by: 'each node' },
  readiness: { everyMs: 1_000, by: 'each node', atStart: 'awaited' },
  // Lists apply from the first request on. Ending the grants of a long list takes longer, and runs meanwhile.
  'lists in files': { everyMs: 2_000, by: 'each node', atStart: 'awaited' },
  'shared lists': { everyMs: 1_000, by: 'each node', atStart: 'awaited' },
  'revoked certificates': { everyMs: 2_000, by: 'each node', atStart: 'begun' },
  'lists to fetch': { everyMs: 10_000, by: 'one node', atStart: 'begun' },
  'keys of issuers': { everyMs: 10_000, by: 'one node', atStart: 'begun' },
  directories: { everyMs: 5_000, by: 'one node', atStart: 'begun' },
  // What is removed, in which order, and how long it stays: operations/upkeep/sweep.ts.
  sweep: { everyMs: 60_000, by: 'one node' },
  figures: { everyMs: 5_000, by: 'each node', atStart: 'begun' },
  'living grants': { everyMs: 60_000, by: 'one node', atStart: 'begun' },
  'few refusals': { everyMs: 3_000, by: 'each node' },
  'all refusals': { everyMs: 60_000, by: 'each node' },
  endings: { everyMs: 60_000, by: 'each node', atStart: 'awaited' },
  'confidential integrations': { everyMs: 3_600_000, by: 'each node', atStart: 'begun' },
} as const satisfies Readonly<Record<string, Timing>>;

type Name = keyof typeof CHORES;

/** What the service has besides its parts. */
interface Work {
  readonly timekeeper: Timekeeper;
  readonly registry: FollowedRegistry;
  readonly watch: EventWatch;
  /** That this node runs, and with which keys. */
  readonly report: () => Promise<unknown>;
  readonly reload: () => Promise<void>;
  readonly renewKeys: () => Promise<unknown>;
}

export function choresOf(
  parts: Parts,
  { timekeeper, registry, watch, report, reload, renewKeys }: Work,
  logFault: (fault: unknown, chore: string) => void,
): readonly Chore[] {
  const { ports, judge, metrics, readiness, keeper, refusals, log } = parts;
  const revocations = new RevocationFollower(judge, ports, hostname());
  const pause = () => sleep(BREATH_MS);
  const news = directoryNews(log, metrics.directory);
  const work: Readonly<Record<Name, () => Promise<unknown>>> = {
    report,
    events: () => watch.look(),
    history: () => watch.glance(),
    registry: async () => (await registry.refresh()) && reload(),
    'files of listeners': reload,
    readiness: () => readiness.look(),
    'lists in files': followLists(judge, registry, (fault) => logFault(fault, 'lists in files')),
    'shared lists': () => judge.revocation.followLists(registry.issuers),
    'lists to fetch': () => judge.revocation.renewLists(),
    'revoked certificates': async () => {
      const grants = await revocations.follow();
      if (grants > 0) log.warn({ grants }, 'certificates revoked: grants ended');
    },
    'keys of issuers': renewKeys,
    directories: () => walkDirectories(ports, news),
    sweep: async () => timekeeper.maySweep && byOneNode(SWEEPING, () => sweep(ports, pause), ports),
    figures: () => keeper.keep(ports.clock.now()),
    'living grants': async () => {
      const living = await countByOne(keeper, ports, pause);
      if (living) metrics.endingGrants = living.endingByDay.reduce((total, day) => total + day, 0);
    },
    'few refusals': () => refusals.flushFew(),
    'all refusals': () => refusals.flush(),
    endings: watchEndings(parts, registry),
    'confidential integrations': () => markConfidential(ports),
  };
  return Object.entries<Timing>(CHORES).map(([name, { everyMs, atStart }]) => ({
    ...{ name, everyMs, work: work[name as Name] },
    ...(atStart && { atStart }),
  }));
}
