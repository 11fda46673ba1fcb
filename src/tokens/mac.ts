import { hash } from 'node:crypto';
import { sha256 } from './sha256.ts';

const BLOCK = 64;
const DIGEST = 32;
const MESSAGE_MAX_LENGTH = 256;

/**
 * HMAC-SHA256 (RFC 2104) under one key, from two one-shot hashes over prepared blocks: a fifth of what `createHmac`
 * costs, on the path that every request takes.
 */
export class Mac {
  readonly #inner = Buffer.alloc(BLOCK + MESSAGE_MAX_LENGTH);
  readonly #outer = Buffer.alloc(BLOCK + DIGEST);

  constructor(key: Uint8Array) {
    if (key.length > BLOCK) throw new RangeError(`a MAC key has at most ${BLOCK} bytes`);
    for (let i = 0; i < BLOCK; i++) {
      this.#inner[i] = (key[i] ?? 0) ^ 0x36;
      this.#outer[i] = (key[i] ?? 0) ^ 0x5c;
    }
  }

  sum(message: Uint8Array): Buffer {
    if (message.length > MESSAGE_MAX_LENGTH) throw new RangeError('message too long for this MAC');
    this.#inner.set(message, BLOCK);
    this.#outer.write(hash('sha256', this.#inner.subarray(0, BLOCK + message.length), 'binary'), BLOCK, 'binary');
    return sha256(this.#outer);
  }
}
