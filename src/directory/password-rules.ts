import type { Secret } from '../tokens/secret.ts';

const MIN_LENGTH = 12;
/** Longer ones take longer to hash and protect no better. */
const MAX_BYTES = 1024;

export const PASSWORD_RULES = {
  minLength: MIN_LENGTH,
  findFlaw: (password: Secret): 'too-short' | 'too-long' | undefined => {
    if (Array.from(password.reveal()).length < MIN_LENGTH) return 'too-short';
    return Buffer.byteLength(password.reveal()) > MAX_BYTES ? 'too-long' : undefined;
  },
};
