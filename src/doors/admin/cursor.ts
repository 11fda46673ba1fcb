// Where the next page of a list begins. Authenticated, so that a cursor is used only for the list that it came from.
import { hash } from 'node:crypto';
import type { Hex } from '../../core/hex.ts';
import type { Keyring } from '../../tokens/keyring.ts';
import { isSameHash } from '../../tokens/mac.ts';

/** `list`: the act and its filters. */
export function sealCursor(key: string, list: string, keyring: Keyring): string {
  return `${Buffer.from(key).toString('base64url')}.${keyring.minting.mac.cursor.sum(messageOf(key, list))}`;
}

/** Undefined if it is of another list, or not ours. */
export function openCursor(cursor: string, list: string, keyring: Keyring): string | undefined {
  const [encoded = '', sum = ''] = cursor.split('.');
  const key = Buffer.from(encoded, 'base64url').toString();
  const isOurs = keyring.keys.some(({ mac }) => isSameHash(sum as Hex, mac.cursor.sum(messageOf(key, list))));
  return isOurs ? key : undefined;
}

function messageOf(key: string, list: string): Buffer {
  return hash('sha256', JSON.stringify([key, list]), 'buffer');
}
