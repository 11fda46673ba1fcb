import { hash } from 'node:crypto';
import type { Hex } from '../core/hex.ts';

/** As text: for a Buffer of its own, Node takes memory from the system, which costs three times the hash. */
export function sha256(bytes: Uint8Array | string): Hex {
  return hash('sha256', bytes, 'hex') as Hex;
}
