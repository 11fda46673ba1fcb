import type { Algorithm } from '@node-rs/argon2';
import type { Secret } from '../../tokens/secret.ts';

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
