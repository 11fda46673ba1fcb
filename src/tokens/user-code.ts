// User codes are short enough to type. So they are stored under a MAC, and guesses are limited (operations/device/decide-device.ts).
import { firstHalf, type Hex } from '../core/hex.ts';
import type { Key, Keyring } from './keyring.ts';

const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** `XXXX-XXXX` from 20 consonants that are hard to confuse, drawn without bias. */
export function drawUserCode(random: (length: number) => Buffer): string {
  const unbiased = random(2 * LENGTH).filter((byte) => byte < 240);
  if (unbiased.length < LENGTH) return drawUserCode(random);
  const letters = Array.from(unbiased, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4, LENGTH)}`;
}

/** Upper case, without spaces and dashes. Undefined if the result cannot be a code. */
export function normalizeUserCode(typed: string): string | undefined {
  const letters = typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
  return letters.length === LENGTH && letters.split('').every((letter) => ALPHABET.includes(letter))
    ? letters
    : undefined;
}

export function userCodeHash(letters: string, key: Key): Hex {
  return firstHalf(key.mac['user-code'].sum(Buffer.from(letters)));
}

/** Under every key: the code may have been stored before the last rotation. */
export function userCodeHashes(letters: string, keyring: Keyring): Hex[] {
  return keyring.keys.map((key) => userCodeHash(letters, key));
}
