// Passkeys (WebAuthn): whether one is registered, and whether it signs somebody in. Signatures have been checked before.
import type { Identity } from '../identity.ts';
import { accept, type PersonOutcome, type Refused, refuse } from '../outcome.ts';
import type { Passkey, Passkeys } from '../passkey.ts';
import type { Proof } from '../person.ts';
import type { Refusal } from '../refusal.ts';
import { type EpochSeconds, seconds } from '../time.ts';
import { strongProof } from './proof.ts';

export const MOST_PASSKEYS = 20;
/** As long as a browser waits for the person. */
export const CHALLENGE_LIFETIME = seconds(300);
/** An invitation is on its way to a person. */
export const INVITATION_LIFETIME = seconds(86_400);

/** Of the challenge that was answered. */
export interface ChallengeFacts {
  readonly isUsed: boolean;
  readonly challengeEndsAt: EpochSeconds;
  readonly now: EpochSeconds;
}

export interface RegisterFacts extends ChallengeFacts {
  readonly before: Passkeys;
  readonly added: Passkey;
  readonly proof: Proof;
  /** Whether the person typed an invitation, and until when it is good; undefined if it is unknown or used. */
  readonly hasTyped: boolean;
  readonly invitedUntil: EpochSeconds | undefined;
}

/** A passkey is as strong as what it was added with: otherwise a password would be enough for everything. */
export function decideRegister({
  before,
  added,
  proof,
  hasTyped,
  invitedUntil,
  ...challenge
}: RegisterFacts): PersonOutcome<Passkeys> {
  const isInvited = invitedUntil !== undefined && challenge.now < invitedUntil;
  if (!isOpen(challenge)) return no('challenge');
  if (!(isInvited || (!hasTyped && mayChange(before.keys, proof)))) return refuse('invitation-refused');
  if (before.keys.some(({ id }) => id === added.id)) return no('registered');
  if (before.keys.length >= MOST_PASSKEYS) return refuse('passkeys-exhausted');
  const isStrong = isInvited || strongProof(proof) !== undefined;
  return accept({ ...before, keys: [...before.keys, { ...added, ...(isStrong && { isStrong }) }] });
}

/** Whether somebody who signed in like this may change these passkeys: not with less than what they prove. */
export function mayChange(keys: readonly Passkey[], proof: Proof): boolean {
  if (keys.length === 0 || strongProof(proof)) return true;
  return proof.by === 'weak-passkey' && keys.every(({ isStrong }) => !isStrong);
}

export interface PasskeyFacts extends ChallengeFacts {
  readonly passkeys: Passkeys | undefined;
  readonly identity: Identity | undefined;
  readonly id: string;
  readonly counter: number;
  readonly userName: string;
}

export type PasskeyDecision =
  | { readonly do: 'sign-in'; readonly identity: Identity; readonly by: Proof['by']; readonly next: Passkeys }
  /** `copied`: the passkey, if another authenticator seems to have it too (WebAuthn 6.1.1). */
  | { readonly do: 'refuse'; readonly refusal: Refusal<'passkey-refused'>; readonly copied?: Passkey };

export function decidePasskeySignIn(facts: PasskeyFacts): PasskeyDecision {
  const { passkeys, identity, id, counter, userName, now } = facts;
  const used = passkeys?.keys.find((key) => key.id === id);
  if (!isOpen(facts)) return { do: 'refuse', ...no('challenge') };
  if (!used || !passkeys) return { do: 'refuse', ...no('unknown') };
  if (!identity?.enabled || identity.userName === undefined) return { do: 'refuse', ...no('identity') };
  if (userName !== '' && userName !== identity.userName) return { do: 'refuse', ...no('user-name') };
  const counts = counter > 0 || used.counter > 0;
  if (counts && counter <= used.counter) return { do: 'refuse', ...no('counter'), copied: used };
  const keys = passkeys.keys.map((key) => (key === used ? { ...key, counter, usedAt: now } : key));
  const by = used.isStrong ? 'passkey' : 'weak-passkey';
  return { do: 'sign-in', identity, by, next: { ...passkeys, keys } };
}

/** A challenge is answered once, and soon. */
function isOpen({ isUsed, challengeEndsAt, now }: ChallengeFacts): boolean {
  return !isUsed && now < challengeEndsAt;
}

/** One text for all of these; the log has the rule. */
function no(rule: string): Refused<Refusal<'passkey-refused'>> {
  return refuse('passkey-refused', { rule });
}

const NAME_LENGTH = 64;

/** What a person calls a passkey, without what cannot be seen. */
export function passkeyName(typed: string, otherwise: string): string {
  const name = typed.replace(/\p{C}/gu, '').trim().slice(0, NAME_LENGTH);
  return name === '' ? otherwise : name;
}
