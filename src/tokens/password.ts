import { type Algorithm, hash, verify } from '@node-rs/argon2';
import type { Secret } from './secret.ts';

export const PASSWORD_MIN_LENGTH = 12;
/** Longer ones cost time to hash and protect no better. */
const PASSWORD_MAX_BYTES = 1024;

// OWASP's first choice: 19 MiB, two passes. It runs on a thread of its own, about 40 ms.
const ARGON2 = {
  algorithm: 2 as Algorithm.Argon2id, // a const enum, which type stripping leaves no value of
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** A salt and a hash of zeros: no password has it, and it takes as long to find that out as with any other. */
export const NOBODYS_HASH = `$argon2id$v=19$m=${ARGON2.memoryCost},t=${ARGON2.timeCost},p=${ARGON2.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** The argon2id hash in PHC form, which is all that is kept of a password. */
export function hashPassword(password: Secret): Promise<string> {
  return hash(password.reveal(), ARGON2);
}

export function isPassword(password: Secret, phc: string): Promise<boolean> {
  return verify(phc, password.reveal());
}

export function whyUnfit(password: Secret): 'too-short' | 'too-long' | undefined {
  if (Array.from(password.reveal()).length < PASSWORD_MIN_LENGTH) return 'too-short';
  return Buffer.byteLength(password.reveal()) > PASSWORD_MAX_BYTES ? 'too-long' : undefined;
}
