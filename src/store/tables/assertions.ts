import type { Hex } from '../../core/hex.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { hexKey, type Table } from '../table.ts';

/** An assertion that gave a grant, of a token issuer whose assertions are used once; or the challenge that a passkey has answered. */
export interface UsedAssertion {
  /** SHA-256 of its issuer and id, or of what its signature covers; or of the challenge. */
  readonly mark: Hex;
  /** From then on it is refused because it has expired. */
  readonly endsAt: EpochSeconds;
}

export const assertions: Table<UsedAssertion> = {
  name: 'assertions',
  columns: [
    { name: 'mark', kind: 'hex', fixed: true, of: ({ mark }) => mark },
    { name: 'ends_at', kind: 'integer', fixed: true, of: ({ endsAt }) => endsAt },
  ],
  keyOf: ({ mark }) => mark,
  encodeKey: hexKey,
  decode: ([mark, endsAt]) => ({ mark: mark as Hex, endsAt: endsAt as EpochSeconds }),
  endsAt: 'ends_at',
};
