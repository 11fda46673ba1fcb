// Cursors of listings: opaque to their holder, and good only where this service gave them out.
import { timingSafeEqual } from 'node:crypto';
import { accept, type PersonOutcome, refuse } from '../core/outcome.ts';
import type { Key, Keyring } from '../tokens/keyring.ts';
import { sha256 } from '../tokens/sha256.ts';

const TAG_LENGTH = 16;
const TAG_AT = 1;
const KEY_AT = TAG_AT + TAG_LENGTH;

/** Seals the key of the last row shown: `key id 1 | tag 16 | key`. The tag ties it to its listing. */
export function sealCursor(listing: string, lastKey: string, { minting }: Keyring): string {
  return Buffer.concat([Buffer.of(minting.id), tagOf(listing, lastKey, minting), Buffer.from(lastKey)]).toString(
    'base64url',
  );
}

/** The key behind which the listing goes on. A cursor that is forged, or another listing's, is refused before any store sees it. */
export function openCursor(listing: string, cursor: string, keyring: Keyring): PersonOutcome<string> {
  const bytes = Buffer.from(cursor, 'base64url');
  const key = keyring.key(bytes[0] ?? 0);
  if (!key || bytes.length < KEY_AT || bytes.toString('base64url') !== cursor) return refuse('cursor-not-authentic');
  const lastKey = bytes.toString('utf8', KEY_AT);
  const isOurs = timingSafeEqual(bytes.subarray(TAG_AT, KEY_AT), tagOf(listing, lastKey, key));
  return isOurs ? accept(lastKey) : refuse('cursor-not-authentic');
}

/** Hashed first, each part on its own: listings and keys may be long, and must not run into each other. */
function tagOf(listing: string, lastKey: string, { mac }: Key): Buffer {
  const parts = sha256(listing) + sha256(lastKey);
  return Buffer.from(mac.cursor.sum(Buffer.from(parts, 'hex')), 'hex').subarray(0, TAG_LENGTH);
}
