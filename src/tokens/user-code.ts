// User codes: short enough to type, so they are stored under a MAC and guessed only a few times (operations/decide-device.ts).
import { firstHalf, type Hex } from '../core/hex.ts';
import type { Key, Keyring } from './keyring.ts';

const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

/** `XXXX-XXXX` of 20 consonants that are not mistaken for one another, drawn without bias. */
export function drawUserCode(random: (length: number) => Buffer): string {
  let letters = '';
  while (letters.length < LENGTH) {
    for (const byte of random(2 * LENGTH)) {
      if (byte < 240 && letters.length < LENGTH) letters += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** The letters a person meant, without case, spaces or dashes; undefined where no code could read so. */
export function normalizeUserCode(typed: string): string | undefined {
  const letters = typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
  return letters.length === LENGTH && letters.split('').every((letter) => ALPHABET.includes(letter))
    ? letters
    : undefined;
}

export function userCodeHash(letters: string, key: Key): Hex {
  return firstHalf(key.mac['user-code'].sum(Buffer.from(letters)));
}

/** A code may have been drawn under any key that is still here. */
export function userCodeHashes(letters: string, keyring: Keyring): Hex[] {
  return keyring.keys.map((key) => userCodeHash(letters, key));
}
