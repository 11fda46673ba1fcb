// The life of a signing key: published → signing → retiring → removed.
//
// Resource servers cache our public keys. So a key is published for a while before it signs, and stays published until the
// last token that it signed has expired. One key signs at a time.
import { after, type EpochSeconds, type Seconds } from '../time.ts';

export const SIGNING_KEY_STATES = ['published', 'signing', 'retiring'] as const;
export type SigningKeyState = (typeof SIGNING_KEY_STATES)[number];

export interface SigningKeyLife {
  readonly id: string;
  readonly state: SigningKeyState;
  /** When it entered this state. */
  readonly since: EpochSeconds;
}

export interface SigningKeyTimes {
  /** How long a key is published before it signs. */
  readonly publishedFor: Seconds;
  /** The longest lifetime of an access token. */
  readonly tokenLifetime: Seconds;
}

/** The first key signs at once: nobody can have cached a list of keys without it. */
export function stateOfNewKey(keys: readonly SigningKeyLife[]): SigningKeyState {
  return keys.length === 0 ? 'signing' : 'published';
}

export function whyNotSign(
  { state, since }: SigningKeyLife,
  { publishedFor }: SigningKeyTimes,
  now: EpochSeconds,
): 'signs-already' | 'retiring' | 'published-too-recently' | undefined {
  if (state === 'signing') return 'signs-already';
  if (state === 'retiring') return 'retiring';
  return now < after(since, publishedFor) ? 'published-too-recently' : undefined;
}

/** The key signs from now on, and the one before it retires. */
export function signWith<Key extends SigningKeyLife>(keys: readonly Key[], id: string, now: EpochSeconds): Key[] {
  return keys.map((key) => {
    if (key.id === id) return { ...key, state: 'signing', since: now };
    return key.state === 'signing' ? { ...key, state: 'retiring', since: now } : key;
  });
}

/** A key that never signed can be removed at any time. */
export function whyNotRemove(
  { state, since }: SigningKeyLife,
  { tokenLifetime }: SigningKeyTimes,
  now: EpochSeconds,
): 'signs' | 'tokens-alive' | undefined {
  if (state === 'signing') return 'signs';
  return state === 'retiring' && now < after(since, tokenLifetime) ? 'tokens-alive' : undefined;
}

export type SigningKeyStep = { readonly do: 'sign' | 'remove'; readonly id: string };

/** What is due now, for a command that runs daily. The key that was published first signs next. */
export function dueSteps(keys: readonly SigningKeyLife[], times: SigningKeyTimes, now: EpochSeconds): SigningKeyStep[] {
  const [next] = keys.filter((key) => !whyNotSign(key, times, now)).toSorted((a, b) => a.since - b.since);
  const ended = keys.filter((key) => key.state === 'retiring' && !whyNotRemove(key, times, now));
  const sign: SigningKeyStep[] = next ? [{ do: 'sign', id: next.id }] : [];
  return [...sign, ...ended.map(({ id }): SigningKeyStep => ({ do: 'remove', id }))];
}

/** What no sequence of the steps above leads to. */
export function findKeyConflict(keys: readonly SigningKeyLife[]): 'same-id' | 'not-one-signing' | undefined {
  if (new Set(keys.map(({ id }) => id)).size !== keys.length) return 'same-id';
  const signing = keys.filter(({ state }) => state === 'signing').length;
  return keys.length > 0 && signing !== 1 ? 'not-one-signing' : undefined;
}
