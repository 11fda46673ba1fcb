import type { KeyMark } from '../../core/signing-key.ts';
import type { Table } from '../table.ts';

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
};
