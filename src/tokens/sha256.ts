import { hash } from 'node:crypto';
import type { Hex } from '../core/hex.ts';

/** As hex text: for a Buffer, Node allocates memory, which takes three times as long as the hash. */
export function sha256(bytes: Uint8Array | string): Hex {
  return hash('sha256', bytes, 'hex') as Hex;
}
