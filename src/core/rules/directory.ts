// What a directory elsewhere says about an identity, and what becomes of the row that keeps it as last seen.
import type { DeedOf, Fact } from '../act.ts';
import type { Identity } from '../identity.ts';
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
  const known = seen ?? before;
  if (!known) return undefined;
  const isAlive = seen?.enabled ?? false;
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
  return { row, isNew: deed !== undefined || now - seenAt >= MARK_EVERY, ...(deed && { deed }) };
}

const SEEN = ['userName', 'email', 'upn', 'groups'] as const satisfies readonly (keyof Identity)[];

function deedBetween(before: Identity, after: Identity): DeedOf<'identity'> | undefined {
  if (before.enabled !== after.enabled) return { did: after.enabled ? 'enabled' : 'disabled' };
  const differing = SEEN.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (differing.length === 0) return undefined;
  const facts = differing.map((name) => [name, { ...fact('before', before[name]), ...fact('after', after[name]) }]);
  return { did: 'changed', changed: Object.fromEntries(facts) };
}

function fact(moment: 'before' | 'after', value: Fact | undefined): Readonly<Record<string, Fact>> {
  return value === undefined ? {} : { [moment]: value };
}

const FEW = 10;
const MOST_SHARE = 0.05;

/** A walk that would end so many has probably lost the permission to read, or looks in the wrong place. */
export function isAlarming(ended: number, living: number): boolean {
  return ended >= FEW && ended > living * MOST_SHARE;
}
