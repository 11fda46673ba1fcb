import { hash } from 'node:crypto';
import type { Hex } from '../core/hex.ts';

/** As hex text: for a Buffer, Node allocates memory, which takes three times as long as the hash. */
export function sha256(bytes: Uint8Array | string): Hex {
  return hash('sha256', bytes, 'hex') as Hex;
}

export function sha256Bytes(bytes: Uint8Array, length: number): Buffer {
  return bytesOf(hash('sha256', bytes, 'binary'), length);
}

/** The first bytes of a hash that was read as Latin-1 text, one character a byte: hex text takes half as long again. */
export function bytesOf(latin1: string, length: number): Buffer {
  return Buffer.from(latin1.slice(0, length), 'latin1');
}
