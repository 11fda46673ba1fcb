import type { Hex } from '../../core/hex.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { fieldColumns, HOUR, hexKey, keyedTable, type Table } from '../table.ts';

/** How often something failed: for lockouts that hold across nodes and restarts. */
export interface Attempts {
  readonly about: string;
  readonly count: number;
  readonly endsAt: EpochSeconds;
}

export const attempts = keyedTable<Attempts>({
  name: 'attempts',
  rows: 'changing',
  ...fieldColumns<Attempts>({ about: 'fixed text', count: 'integer', endsAt: 'integer' }),
  ends: { at: 'ends_at', kept: HOUR },
});

/** An assertion that gave a grant, of a token issuer whose assertions are used once; or the challenge that a passkey has answered. */
export interface UsedAssertion {
  /** SHA-256 of its issuer and id, or of what its signature covers; or of the challenge. */
  readonly mark: Hex;
  /** From then on it is refused because it has expired. */
  readonly endsAt: EpochSeconds;
}

export const assertions: Table<UsedAssertion> = {
  name: 'assertions',
  ...fieldColumns<UsedAssertion>({ mark: 'fixed hex', endsAt: 'fixed integer' }),
  keyOf: ({ mark }) => mark,
  encodeKey: hexKey,
  ends: { at: 'ends_at', kept: HOUR },
};
