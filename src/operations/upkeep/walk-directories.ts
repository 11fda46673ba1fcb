// Asks directories elsewhere about everybody who has a living grant, so that an account that ends there ends here.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Author, DeedOf } from '../../core/act.ts';
import { acted } from '../../core/event.ts';
import { DirectoryAway, EntryUnreadable, Overloaded } from '../../core/faults.ts';
import { grantState } from '../../core/grant.ts';
import type { Identity } from '../../core/identity.ts';
import { isAlarming } from '../../core/rules/directory.ts';
import { after, type EpochSeconds, seconds } from '../../core/time.ts';
import type { Directories } from '../../directory/side-by-side.ts';
import { byOneNode } from '../../store/lease.ts';
import { pages } from '../../store/pages.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import { identities, seenIn } from '../../store/tables/identities.ts';
import { leases } from '../../store/tables/leases.ts';
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
  /** Why entries could not be read. Their identities are used as last seen. */
  readonly unreadable: readonly string[];
}

export interface WalkNews {
  readonly walked: (walk: Walk) => void;
  readonly away: (label: string, why: string) => void;
}

/** By one node at a time, twice in `recheckAfter`: rows are then never older than that. */
export async function walkDirectories(ports: WalkPorts, news: WalkNews): Promise<void> {
  for (const directory of ports.directories.elsewhere.filter(({ elsewhere }) => elsewhere.isWalked)) {
    const lasts = seconds(directory.elsewhere.times.recheckAfter / 2);
    const work = () => walkOne(directory, ports, news);
    await byOneNode({ name: `directory ${directory.label}`, lasts }, work, ports);
  }
}

async function walkOne(directory: Walked, ports: WalkPorts, { walked, away }: WalkNews): Promise<void> {
  const { label } = directory;
  try {
    const done = await walk(directory, ports, { isPaced: true });
    walked(done);
    const { living, ended } = done;
    if (done.isAlarm) await recordState({ did: 'alarm', living, ended }, label, ports);
  } catch (fault) {
    if (!(fault instanceof DirectoryAway || fault instanceof Overloaded)) throw fault;
    away(label, fault.message);
    await recordState({ did: 'away', why: fault.message }, label, ports);
  }
}

/** How often a state that lasts is recorded. */
const RECORD_EVERY = seconds(3600);
const BY_SERVICE = { as: 'service', why: 'directory' } as const;

export async function recordState(
  deed: DeedOf<'directory'>,
  label: string,
  { store }: Pick<WalkPorts, 'store'>,
  by: Author = BY_SERVICE,
  every = RECORD_EVERY,
): Promise<void> {
  const name = `directory ${label} ${deed.did}`;
  await store.change(leases, name, (found, now) => {
    if (found && now < found.row.endsAt) return { outcome: undefined };
    const event = acted({ ...deed, kind: 'directory', id: label }, { at: now, by });
    return { outcome: undefined, next: { name, endsAt: after(now, every) }, events: [event] };
  });
}

/** An operator has looked: everybody who ended there ends here, however many they are. */
export async function acceptEndings(directory: Walked, ports: WalkPorts & { readonly by: Author }): Promise<Walk> {
  const done = await walk(directory, ports, { isTooMany: () => false });
  await recordState({ did: 'endings-accepted', ended: done.ended }, done.label, ports, ports.by, seconds(0));
  return done;
}

const STEP = 100;
/** Fewer than a directory has connections: requests find one free. */
const AT_ONCE = 2;

/** No faster than this at first, so that requests and the directory have time for others. */
const PER_SECOND = 75;
const BREATH_MS = 50;
const SLOW_PART = 0.45;

interface Ended {
  readonly row: Identity;
  readonly seen: Identity | undefined;
}

interface WalkOptions {
  readonly isTooMany?: typeof isAlarming;
  readonly isPaced?: boolean;
}

/** Those who are still there are settled on the way; those who ended, at the end, unless there are too many of them. */
export async function walk(
  { label, elsewhere }: Walked,
  ports: WalkPorts,
  { isTooMany = isAlarming, isPaced = false }: WalkOptions = {},
): Promise<Walk> {
  const ended: Ended[] = [];
  const unreadable: string[] = [];
  let living = 0;
  const begun = performance.now();
  // Nearly until the next walk begins. What it finds is then settled within `recheckAfter`.
  const slowMs = isPaced ? elsewhere.times.recheckAfter * SLOW_PART * 1000 : 0;
  const breathe = async () => {
    const passed = performance.now() - begun;
    const ahead = (living * 1000) / PER_SECOND - passed;
    if (passed < slowMs && ahead > BREATH_MS) await sleep(ahead, undefined, { ref: false });
  };
  const visit = async (row: Identity) => {
    living += 1;
    try {
      const seen = await elsewhere.again(row);
      if (seen?.enabled) await settle(row.id, seen, ports);
      else ended.push({ row, seen });
    } catch (fault) {
      if (!(fault instanceof EntryUnreadable)) throw fault;
      unreadable.push(fault.message);
    }
    await breathe();
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
  const isAlarm = isTooMany(fresh.length, living);
  if (!isAlarm) await inTurns(ended, async ({ row, seen }) => void (await settle(row.id, seen, ports)));
  return { label, living, ended: fresh.length, isAlarm, unreadable };
}

async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) await Promise.all(all.slice(at, at + AT_ONCE).map(work));
}

async function hasLivingGrant({ id }: Identity, now: EpochSeconds, { store }: WalkPorts): Promise<boolean> {
  const query = { where: grantsOf.holder(id), isDescending: true, limit: STEP } as const;
  for await (const page of pages(store, grants, query))
    if (page.some((grant) => grantState(grant, now) === 'live')) return true;
  return false;
}
