import type { Event } from '../../../src/core/event.ts';
import type { Hex } from '../../../src/core/hex.ts';

/** What a rotation needs of a row. */
export interface BareRow {
  readonly revision: number;
  readonly scope: string;
  readonly refreshUntil: number;
  readonly refreshHash: Hex;
}

export interface BareRotation {
  readonly grantId: string;
  readonly revision: number;
  readonly refreshHash: Hex;
  readonly nonce: Hex;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly event: Event | undefined;
}

/** `rotate` gets a row and returns what to write to it. Durable when it resolves. */
export type RotateAll = (
  grantIds: readonly string[],
  rotate: (at: number, row: BareRow) => BareRotation,
) => Promise<void>;
