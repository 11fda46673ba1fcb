import { hash } from 'node:crypto';

/** By way of a text: for a Buffer of its own, Node takes memory from the system, which costs three times the hash. */
export function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'binary');
}
