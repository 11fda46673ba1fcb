// The CSRF token: every form carries one, and it is good for one browser session, or for one visitor before sign-in.
import type { Hex } from '../../../core/hex.ts';
import type { Keyring } from '../../../tokens/keyring.ts';
import { isSameHash } from '../../../tokens/mac.ts';

/** Whose forms: a person's browser session, or a browser that has not signed in. */
export type FormOwner = { readonly session: string } | { readonly visitor: string };

const SUM = /^[0-9a-f]{64}$/;

export function formToken(owner: FormOwner, keyring: Keyring): string {
  return keyring.minting.mac.csrf.sum(messageOf(owner));
}

/** Any key is accepted: the form may be older than the minting key. */
export function isFormToken(token: string, owner: FormOwner, keyring: Keyring): boolean {
  return SUM.test(token) && keyring.keys.some((key) => isSameHash(token as Hex, key.mac.csrf.sum(messageOf(owner))));
}

function messageOf(owner: FormOwner): Buffer {
  return Buffer.from('session' in owner ? `session ${owner.session}` : `visitor ${owner.visitor}`);
}
