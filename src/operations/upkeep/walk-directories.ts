// Asks directories elsewhere about everybody who has a living grant, so that an account that ends there ends here.
import { DirectoryAway } from '../../core/directory-away.ts';
import { grantState } from '../../core/grant.ts';
import type { Identity } from '../../core/identity.ts';
import { isAlarming } from '../../core/rules/directory.ts';
import { type EpochSeconds, seconds } from '../../core/time.ts';
import type { Directories } from '../../directory/side-by-side.ts';
import { byOneNode } from '../../store/lease.ts';
import { pages } from '../../store/pages.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import { identities, seenIn } from '../../store/tables/identities.ts';
import { settle } from '../grant/seen-identity.ts';
import type { Ports } from '../ports.ts';

type Walked = Directories['elsewhere'][number];
type WalkPorts = Pick<Ports, 'store' | 'directories'>;

export interface Walk {
  readonly label: string;
  /** Identities with living grants. */
  readonly living: number;
  readonly ended: number;
  /** Too many would have ended: none did. */
  readonly isAlarm: boolean;
}

/** Reports every directory that it walked, and the problem of one that cannot answer. */
export interface WalkNews {
  readonly walked: (walk: Walk) => void;
  readonly away: (label: string, fault: DirectoryAway) => void;
}

/** By one node at a time, twice in `recheckAfter`: rows are then never older than that. */
export async function walkDirectories(ports: WalkPorts, news: WalkNews): Promise<void> {
  for (const directory of ports.directories.elsewhere) {
    const lasts = seconds(directory.elsewhere.times.recheckAfter / 2);
    const work = () => walkOne(directory, ports, news);
    await byOneNode({ name: `directory ${directory.label}`, lasts }, work, ports);
  }
}

async function walkOne(directory: Walked, ports: WalkPorts, { walked, away }: WalkNews): Promise<void> {
  try {
    walked(await walk(directory, ports));
  } catch (fault) {
    if (!(fault instanceof DirectoryAway)) throw fault;
    away(directory.label, fault);
  }
}

const STEP = 100;
const AT_ONCE = 4;

/** Those who are still there are settled on the way; those who ended, at the end, unless there are too many of them. */
export async function walk({ label, elsewhere }: Walked, ports: WalkPorts): Promise<Walk> {
  const ended: { readonly row: Identity; readonly seen: Identity | undefined }[] = [];
  let living = 0;
  const visit = async (row: Identity) => {
    living += 1;
    const seen = await elsewhere.byId(row.id);
    if (seen?.enabled) await settle(row.id, seen, ports);
    else ended.push({ row, seen });
  };
  for await (const page of pages(ports.store, identities, { where: seenIn(label), limit: STEP })) {
    const now = await ports.store.now();
    const held = await Promise.all(page.map((row) => hasLivingGrant(row, now, ports)));
    await inTurns(
      page.filter((_, place) => held[place]),
      visit,
    );
  }
  const fresh = ended.filter(({ row }) => row.enabled);
  const isAlarm = isAlarming(fresh.length, living);
  if (!isAlarm) await inTurns(ended, async ({ row, seen }) => void (await settle(row.id, seen, ports)));
  return { label, living, ended: fresh.length, isAlarm };
}

/** A few at once: more would be a load on the directory, and take the turns of requests. */
async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) await Promise.all(all.slice(at, at + AT_ONCE).map(work));
}

async function hasLivingGrant({ id }: Identity, now: EpochSeconds, { store }: WalkPorts): Promise<boolean> {
  const query = { where: grantsOf.holder(id), isDescending: true, limit: STEP } as const;
  for await (const page of pages(store, grants, query))
    if (page.some((grant) => grantState(grant, now) === 'live')) return true;
  return false;
}
