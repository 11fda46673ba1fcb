import type { Table } from '../table.ts';

/** A key that some node has minted with. `retired` keys may be missing from a keyring; all others must be there. */
export interface KeyMark {
  readonly id: number;
  readonly fingerprint: string;
  readonly retired: boolean;
}

export const keyMarks: Table<KeyMark> = {
  name: 'keys',
  columns: [
    { name: 'id', kind: 'integer', fixed: true, of: ({ id }) => id },
    { name: 'fingerprint', kind: 'text', fixed: true, of: ({ fingerprint }) => fingerprint },
    { name: 'retired', kind: 'integer', of: ({ retired }) => Number(retired) },
  ],
  keyOf: ({ id }) => String(id),
  encodeKey: Number,
  decode: ([id, fingerprint, retired]) => ({
    id: id as number,
    fingerprint: fingerprint as string,
    retired: retired === 1,
  }),
  indexes: [],
};
