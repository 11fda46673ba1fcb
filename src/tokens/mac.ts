import { hash, timingSafeEqual } from 'node:crypto';
import type { Hex } from '../core/hex.ts';
import { bytesOf } from './sha256.ts';

const BLOCK = 64;
const DIGEST = 32;
const MESSAGE_MAX_LENGTH = 256;

/** HMAC-SHA256 as two one-shot hashes over prepared blocks: a sixth of the time of `createHmac`. */
export class Mac {
  readonly #inner = Buffer.alloc(BLOCK + MESSAGE_MAX_LENGTH);
  readonly #outer = Buffer.alloc(BLOCK + DIGEST);
  /** Views of the key's block and a message after it, by message length: making a view takes a tenth of the time of a hash. */
  readonly #views: Buffer[] = [];
  /** What `sign` would make of bytes of this length. */
  readonly #signed: Buffer[] = [];

  constructor(key: Uint8Array) {
    if (key.length > BLOCK) throw new RangeError(`a MAC key has at most ${BLOCK} bytes`);
    const padded = new Uint8Array(BLOCK);
    padded.set(key);
    this.#inner.set(padded.map((byte) => byte ^ 0x36));
    this.#outer.set(padded.map((byte) => byte ^ 0x5c));
  }

  sum(message: Uint8Array): Hex {
    this.#hashInner(message, message.length);
    return hash('sha256', this.#outer, 'hex') as Hex;
  }

  firstBytes(message: Uint8Array, length: number): Buffer {
    this.#hashInner(message, message.length);
    return bytesOf(hash('sha256', this.#outer, 'binary'), length);
  }

  /** Writes the first `length` bytes of the MAC over everything before `at`. */
  sign(bytes: Buffer, at: number, length: number): void {
    this.#hashInner(bytes, at);
    bytes.write(hash('sha256', this.#outer, 'binary'), at, length, 'binary');
  }

  /** Whether the bytes from `at` on are what `sign` would write there. */
  isSigned(bytes: Buffer, at: number): boolean {
    const { length } = bytes;
    this.#signed[length] ??= Buffer.alloc(length);
    const signed = this.#signed[length];
    signed.set(bytes);
    this.sign(signed, at, length - at);
    return timingSafeEqual(signed, bytes);
  }

  /** Prepares the outer block for the first `length` bytes of the message. */
  #hashInner(message: Uint8Array, length: number): void {
    if (message.length > MESSAGE_MAX_LENGTH) throw new RangeError('message too long for this MAC');
    this.#views[length] ??= this.#inner.subarray(0, BLOCK + length);
    this.#inner.set(message, BLOCK);
    this.#outer.write(hash('sha256', this.#views[length], 'binary'), BLOCK, DIGEST, 'binary');
  }
}

/** Of the two hashes to compare: copying into these takes a third of the time of making buffers. */
const LEFT = Buffer.alloc(2 * DIGEST);
const RIGHT = Buffer.alloc(2 * DIGEST);

/** Compares two hashes in constant time. */
export function isSameHash(a: Hex, b: Hex): boolean {
  if (a.length !== LEFT.length || b.length !== RIGHT.length) return false;
  LEFT.write(a, 'latin1');
  RIGHT.write(b, 'latin1');
  return timingSafeEqual(LEFT, RIGHT);
}
