// What a directory elsewhere says about an identity, and what becomes of the row that keeps it as last seen.
import type { DeedOf, Fact } from '../act.ts';
import type { Identity, PushedUser } from '../identity.ts';
import type { EpochSeconds, Seconds } from '../time.ts';

export interface RecheckTimes {
  /** How old a row may be before the directory is asked again. */
  readonly recheckAfter: Seconds;
  /** How long a row is used while the directory cannot answer. */
  readonly trustFor: Seconds;
}

export function isDue({ seenAt = 0 as EpochSeconds }: Identity, { recheckAfter }: RecheckTimes, now: EpochSeconds) {
  return now - seenAt >= recheckAfter;
}

export function isTrusted({ seenAt = 0 as EpochSeconds }: Identity, { trustFor }: RecheckTimes, now: EpochSeconds) {
  return now - seenAt < trustFor;
}

export interface Kept {
  readonly row: Identity;
  /** Whether the row must be written. */
  readonly isNew: boolean;
  /** What the event says, if somebody should know. */
  readonly deed?: DeedOf<'identity'>;
}

/** How often a row is written only because it was seen again, in seconds. */
const MARK_EVERY = 30;

/** `seen` is undefined if the entry is gone, which ends the identity as much as a disabled entry does. */
export function keepSeen(
  before: Identity | undefined,
  seen: Identity | undefined,
  now: EpochSeconds,
): Kept | undefined {
  const { seenAt = 0, endedAt } = before ?? {};
  // The person has signed in meanwhile.
  if (before && seen?.seenAt !== undefined && seenAt > seen.seenAt) return { row: before, isNew: false };
  // What was pushed counts for more than what a sign-in says.
  const said = before?.pushed && seen && !seen.pushed ? { ...before, enabled: isPresent(before.pushed) } : seen;
  const known = said ?? before;
  if (!known) return undefined;
  const isAlive = said?.enabled ?? false;
  // An operator's decision stands, whatever the directory says.
  const byOperator = before !== undefined && !before.enabled && endedAt === undefined;
  const { endedAt: _, ...current } = known;
  const row: Identity = {
    ...current,
    enabled: isAlive && !byOperator,
    mayUseApi: before?.mayUseApi ?? true,
    seenAt: now,
    ...(!isAlive && !byOperator && { endedAt: endedAt ?? now }),
  };
  const deed = before ? deedBetween(before, row) : ({ did: 'derived', source: 'directory' } as const);
  const isNew = deed !== undefined || now - seenAt >= MARK_EVERY || !isSame(before?.pushed, row.pushed);
  return { row, isNew, ...(deed && { deed }) };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether the directory has this account, and lets it in. */
export function isPresent({ active, isGone }: PushedUser): boolean {
  return active && !isGone;
}

const SEEN = ['userName', 'email', 'upn', 'groups'] as const satisfies readonly (keyof Identity)[];

function deedBetween(before: Identity, after: Identity): DeedOf<'identity'> | undefined {
  if (before.enabled !== after.enabled) return { did: after.enabled ? 'enabled' : 'disabled' };
  const differing = SEEN.filter((name) => !isSame(before[name], after[name]));
  if (differing.length === 0) return undefined;
  const facts = differing.map((name) => [name, { ...fact('before', before[name]), ...fact('after', after[name]) }]);
  return { did: 'changed', changed: Object.fromEntries(facts) };
}

function fact(moment: 'before' | 'after', value: Fact | undefined): Readonly<Record<string, Fact>> {
  return value === undefined ? {} : { [moment]: value };
}

const FEW = 10;
const MOST_SHARE = 0.05;

/** A walk that would end more than this has probably lost the permission to read, or a wrong base. */
export function isAlarming(ended: number, living: number): boolean {
  return ended >= FEW && ended > living * MOST_SHARE;
}
