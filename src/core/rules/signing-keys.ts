// The life of a signing key: published → signing → retiring → removed.
//
// Resource servers cache our public keys. So a key is published for a while before it signs, and stays published until the
// last token that it signed has expired. One key signs at a time: the one that began last.
import { JWT_LIFETIME_MAX } from '../settings.ts';
import type { PublishedKey } from '../signing-key.ts';
import { after, type EpochSeconds, later, type Seconds, seconds } from '../time.ts';

export type SigningKeyState = 'published' | 'signing' | 'retiring';

export interface SigningKeyLife {
  readonly id: string;
  readonly state: SigningKeyState;
  readonly since: EpochSeconds;
}

type KeyTimes = Pick<PublishedKey, 'id' | 'publishedAt' | 'signsFrom' | 'removedAt'>;

export function livesOf(keys: readonly KeyTimes[]): SigningKeyLife[] {
  // Removed keys count as well: they end the time of the key before them.
  const starts = keys.flatMap(({ signsFrom }) => signsFrom ?? []).toSorted((a, b) => a - b);
  return keys
    .filter(({ removedAt }) => removedAt === undefined)
    .map(({ id, publishedAt, signsFrom }) => {
      if (signsFrom === undefined) return { id, state: 'published', since: publishedAt };
      const next = starts.find((start) => start > signsFrom);
      return next === undefined ? { id, state: 'signing', since: signsFrom } : { id, state: 'retiring', since: next };
    });
}

/** The key that signs now. Undefined if there is none. */
export function signingKeyOf<Key extends KeyTimes>(keys: readonly Key[]): Key | undefined {
  const signing = livesOf(keys).find(({ state }) => state === 'signing');
  return signing && keys.find(({ id }) => id === signing.id);
}

/** Later than the start of every other key, whatever clocks say: no two start at the same moment. */
export function startOf(keys: readonly KeyTimes[], now: EpochSeconds): EpochSeconds {
  return keys.reduce((start, { signsFrom }) => (signsFrom === undefined ? start : later(start, next(signsFrom))), now);
}

function next(moment: EpochSeconds): EpochSeconds {
  return after(moment, seconds(1));
}

/** The first key signs at once: nobody can have cached a list of keys without it. */
export function startOfNewKey(keys: readonly KeyTimes[], now: EpochSeconds): EpochSeconds | undefined {
  return signingKeyOf(keys) ? undefined : startOf(keys, now);
}

/** A node may sign with the former key until it has read that another one signs. */
const NODES_LATE = 300;
/** How long tokens of a key may live after another key began to sign. */
export const TOKENS_ALIVE = seconds(JWT_LIFETIME_MAX + NODES_LATE);

export function whyNotSign(
  { state, since }: SigningKeyLife,
  publishedFor: Seconds,
  now: EpochSeconds,
): 'signs-already' | 'retiring' | 'published-too-recently' | undefined {
  if (state === 'signing') return 'signs-already';
  if (state === 'retiring') return 'retiring';
  return now < after(since, publishedFor) ? 'published-too-recently' : undefined;
}

/** A key that never signed can be removed at any time. */
export function whyNotRemove(
  { state, since }: SigningKeyLife,
  now: EpochSeconds,
): 'signs' | 'tokens-alive' | undefined {
  if (state === 'signing') return 'signs';
  return state === 'retiring' && now < after(since, TOKENS_ALIVE) ? 'tokens-alive' : undefined;
}

export interface RotationTimes {
  /** How long a key is published before it signs. */
  readonly publishedFor: Seconds;
  /** How long a key signs before the next one is published. */
  readonly every: Seconds;
}

export type RotationStep = { readonly do: 'add' } | { readonly do: 'sign' | 'remove'; readonly id: string };

/** What is due now, for a command that runs daily. The key that was published first signs next. */
export function dueSteps(lives: readonly SigningKeyLife[], times: RotationTimes, now: EpochSeconds): RotationStep[] {
  const signing = lives.find(({ state }) => state === 'signing');
  const published = lives.filter(({ state }) => state === 'published').toSorted((a, b) => a.since - b.since);
  const [following] = published.filter((key) => !whyNotSign(key, times.publishedFor, now));
  const isOld = signing !== undefined && now >= after(signing.since, times.every);
  const ended = lives.filter((key) => key.state === 'retiring' && !whyNotRemove(key, now));
  return [
    ...(following ? [{ do: 'sign', id: following.id } as const] : []),
    ...(isOld && published.length === 0 ? [{ do: 'add' } as const] : []),
    ...ended.map(({ id }) => ({ do: 'remove', id }) as const),
  ];
}
