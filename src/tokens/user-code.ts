// User codes are short enough to type. So they are stored under a MAC, and guesses are limited (operations/device/decide-device.ts).
import { firstHalf, type Hex } from '../core/hex.ts';
import type { Key, Keyring } from './keyring.ts';

const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** `XXXX-XXXX` from 20 consonants that are hard to confuse, drawn without bias. */
export function drawUserCode(random: (length: number) => Buffer): string {
  let letters = '';
  while (letters.length < LENGTH) {
    for (const byte of random(2 * LENGTH)) {
      if (byte < 240 && letters.length < LENGTH) letters += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
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
