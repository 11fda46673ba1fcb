import type { PasswordRules } from '../directory.ts';

const MIN_LENGTH = 12;
/** Longer ones take longer to hash and protect no better. */
const MAX_BYTES = 1024;

export const LOCAL_PASSWORD_RULES: PasswordRules = {
  minLength: MIN_LENGTH,
  findFlaw: (password) => {
    if (Array.from(password.reveal()).length < MIN_LENGTH) return 'too-short';
    return Buffer.byteLength(password.reveal()) > MAX_BYTES ? 'too-long' : undefined;
  },
};
