// Token issuers, their keys as nodes share them, and the assertions that were used.
import type { Hex } from '../../core/hex.ts';
import type { SharedKeySet } from '../../core/shared-key-set.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { TokenIssuer } from '../../core/token-issuer.ts';
import { hexKey, type Table } from '../table.ts';

export const tokenIssuers: Table<TokenIssuer> = {
  name: 'token_issuers',
  columns: [
    { name: 'label', kind: 'text', fixed: true, of: ({ label }) => label },
    { name: 'body', kind: 'json', of: (tokenIssuer) => JSON.stringify({ ...tokenIssuer, label: undefined }) },
  ],
  keyOf: ({ label }) => label,
  encodeKey: (label) => label,
  decode: ([label, body]) => ({ label, ...JSON.parse(body as string) }),
  indexes: [],
};

export const keySets: Table<SharedKeySet> = {
  name: 'key_sets',
  columns: [
    { name: 'name', kind: 'text', fixed: true, of: ({ name }) => name },
    { name: 'checked_at', kind: 'integer', of: ({ checkedAt }) => checkedAt },
    { name: 'failure', kind: 'text', of: ({ failure }) => failure ?? null },
    { name: 'fetched_at', kind: 'integer', of: ({ fetched }) => fetched?.at ?? null },
    { name: 'contents', kind: 'text', of: ({ fetched }) => fetched?.text ?? null },
  ],
  keyOf: ({ name }) => name,
  encodeKey: (name) => name,
  decode: ([name, checkedAt, failure, fetchedAt, contents]) => ({
    name: name as string,
    checkedAt: checkedAt as EpochSeconds,
    ...(typeof failure === 'string' && { failure }),
    ...(typeof contents === 'string' && { fetched: { at: fetchedAt as EpochSeconds, text: contents } }),
  }),
  indexes: [],
  // The keys of a token issuer that was removed are no longer fetched, so this time stops moving.
  endsAt: 'checked_at',
};

/** An assertion that gave a grant, of a token issuer whose assertions are used once. */
export interface UsedAssertion {
  /** SHA-256 of its issuer and id, or of what its signature covers. */
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
  indexes: [],
  endsAt: 'ends_at',
};
