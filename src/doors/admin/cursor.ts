// Where the next page of a list begins. Encrypted: it names a thing that the list may not show. It is good only for the list that it came from.
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { TokenPorts } from '../../operations/ports.ts';
import type { Key, Keyring } from '../../tokens/keyring.ts';

const CIPHER = 'aes-256-gcm';
const [NONCE, TAG] = [12, 16];

/** `list`: the act and its filters. */
export function sealCursor(key: string, list: string, { keyring, random }: TokenPorts): string {
  const nonce = random(NONCE);
  const cipher = createCipheriv(CIPHER, secretOf(keyring.minting), nonce).setAAD(Buffer.from(list));
  const sealed = Buffer.concat([cipher.update(key), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Undefined if it is of another list, or not ours. */
export function openCursor(cursor: string, list: string, { keys }: Keyring): string | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length < NONCE + TAG) return undefined;
  return keys.map((key) => opened(bytes, list, key)).find((text) => text !== undefined);
}

function opened(bytes: Buffer, list: string, key: Key): string | undefined {
  const decipher = createDecipheriv(CIPHER, secretOf(key), bytes.subarray(0, NONCE)).setAAD(Buffer.from(list));
  decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}

function secretOf({ mac }: Key): Buffer {
  return mac.cursor.firstBytes(Buffer.from('of cursors'), 32);
}
