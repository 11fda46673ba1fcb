// The passwords of local identities. No other file reads or writes their table.
import type { Algorithm } from '@node-rs/argon2';
import type { Event } from '../../core/event.ts';
import { firstHalf, type Hex } from '../../core/hex.ts';
import type { IdentityId } from '../../core/identity.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { type Insert, insert, type Store } from '../../store/store.ts';
import { passwords } from '../../store/tables/identities.ts';
import type { Secret } from '../../tokens/secret.ts';
import { sha256 } from '../../tokens/sha256.ts';

export async function loadHash(id: IdentityId, store: Store): Promise<string | undefined> {
  return (await store.load(passwords, id)).found?.row.phc;
}

/** Every hash has its own random salt, so each has its own mark, and a mark cannot be used to guess passwords. */
export function markOf(phc: string): Hex {
  return firstHalf(sha256(phc));
}

/** The password of an identity that is being added, for the commit that adds it. */
export async function firstPassword(identityId: IdentityId, password: Secret): Promise<Insert> {
  return insert(passwords, { identityId, phc: await hashPassword(password) });
}

/** The holder changes the password, unless it is no longer the one with hash `before`: an operator's reset stands. */
export async function changePassword(
  identityId: IdentityId,
  { before, next }: { before: string; next: Secret },
  store: Store,
): Promise<boolean> {
  const phc = await hashPassword(next);
  return store.change(passwords, identityId, (found) =>
    found?.row.phc === before ? { outcome: true, next: { identityId, phc } } : { outcome: false },
  );
}

/** An operator sets the password, whatever it was. The event is written in the same commit. */
export async function resetPassword(
  identityId: IdentityId,
  { next, event }: { next: Secret; event: (at: EpochSeconds) => Event },
  store: Store,
): Promise<void> {
  const row = { identityId, phc: await hashPassword(next) };
  await store.change(passwords, identityId, (_, at) => ({ outcome: undefined, next: row, events: [event(at)] }));
}

// OWASP's first choice: 19 MiB, two passes. It runs on its own thread, for about 40 ms.
const ARGON2 = {
  algorithm: 2 as Algorithm.Argon2id, // a const enum: type stripping leaves no value to import
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Salt and hash are zeros: no password matches, and checking one takes as long as checking any other hash. */
export const NOBODYS_HASH = `$argon2id$v=19$m=${ARGON2.memoryCost},t=${ARGON2.timeCost},p=${ARGON2.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** The argon2id hash in PHC form: all that is stored of a password. */
export async function hashPassword(password: Secret): Promise<string> {
  const { hash } = await library();
  return hash(password.reveal(), ARGON2);
}

export async function isPassword(password: Secret, phc: string): Promise<boolean> {
  const { verify } = await library();
  return verify(phc, password.reveal());
}

/** Loaded when somebody first signs in. */
const library = () => import('@node-rs/argon2');
