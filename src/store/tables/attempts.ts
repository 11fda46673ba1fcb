import type { Hex } from '../../core/hex.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { hexKey, keyedTable, type Table } from '../table.ts';

/** How often something failed: for lockouts that hold across nodes and restarts. */
export interface Attempts {
  readonly about: string;
  readonly count: number;
  readonly endsAt: EpochSeconds;
}

export const attempts = keyedTable<Attempts>({
  name: 'attempts',
  columns: [
    { name: 'about', kind: 'text', fixed: true, of: ({ about }) => about },
    { name: 'count', kind: 'integer', of: ({ count }) => count },
    { name: 'ends_at', kind: 'integer', of: ({ endsAt }) => endsAt },
  ],
  decode: ([about, count, endsAt]) => ({
    about: about as string,
    count: count as number,
    endsAt: endsAt as EpochSeconds,
  }),
  endsAt: 'ends_at',
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
  columns: [
    { name: 'mark', kind: 'hex', fixed: true, of: ({ mark }) => mark },
    { name: 'ends_at', kind: 'integer', fixed: true, of: ({ endsAt }) => endsAt },
  ],
  keyOf: ({ mark }) => mark,
  encodeKey: hexKey,
  decode: ([mark, endsAt]) => ({ mark: mark as Hex, endsAt: endsAt as EpochSeconds }),
  endsAt: 'ends_at',
};
