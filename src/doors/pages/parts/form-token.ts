// The CSRF token of every form: good for one browser session, or for one visitor before sign-in. Challenges of passkeys are made in the same way.
import type { Hex } from '../../../core/hex.ts';
import { type EpochSeconds, epochSeconds } from '../../../core/time.ts';
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

/** What a passkey signs. Nothing is stored: an answer is good for the same browser, until then, and once. */
export function drawChallenge(nonce: Buffer, endsAt: EpochSeconds, owner: FormOwner, keyring: Keyring): string {
  const head = `${nonce.toString('hex')} ${endsAt}`;
  const text = `${head} ${keyring.minting.mac.csrf.sum(messageOf(owner, `challenge ${head} `))}`;
  return Buffer.from(text).toString('base64url');
}

const CHALLENGE = /^([0-9a-f]{32} (\d{1,10})) ([0-9a-f]{64})$/;

/** When a challenge that was drawn for this browser ends. */
export function challengeEnd(challenge: string, owner: FormOwner, keyring: Keyring): EpochSeconds | undefined {
  const [, head, endsAt, sum] = CHALLENGE.exec(Buffer.from(challenge, 'base64url').toString('latin1')) ?? [];
  const message = messageOf(owner, `challenge ${head} `);
  const isOurs = keyring.keys.some((key) => isSameHash((sum ?? '') as Hex, key.mac.csrf.sum(message)));
  return isOurs ? epochSeconds(Number(endsAt)) : undefined;
}

function messageOf(owner: FormOwner, about = ''): Buffer {
  return Buffer.from(about + ('session' in owner ? `session ${owner.session}` : `visitor ${owner.visitor}`));
}
