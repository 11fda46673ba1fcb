import type { Secret } from '../tokens/secret.ts';

const MIN_LENGTH = 12;
/** Longer ones take longer to hash and protect no better. */
const MAX_LENGTH = 1024;

export const PASSWORD_RULES = {
  minLength: MIN_LENGTH,
  maxLength: MAX_LENGTH,
  findFlaw: (password: Secret): 'too-short' | 'too-long' | undefined => {
    const { length } = Array.from(password.reveal());
    if (length < MIN_LENGTH) return 'too-short';
    return length > MAX_LENGTH ? 'too-long' : undefined;
  },
};
