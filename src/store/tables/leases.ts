import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable, type Table } from '../table.ts';

/** A table of names, each with a time at which its row ends. */
export function namedUntil(table: string): Table<{ readonly name: string; readonly endsAt: EpochSeconds }> {
  return keyedTable({
    name: table,
    columns: [
      { name: 'name', kind: 'text', fixed: true, of: ({ name }) => name },
      { name: 'ends_at', kind: 'integer', of: ({ endsAt }) => endsAt },
    ],
    decode: ([name, endsAt]) => ({ name: name as string, endsAt: endsAt as EpochSeconds }),
    endsAt: 'ends_at',
  });
}

/** Work that one node has claimed for itself. After its end, any node may claim it. */
export const leases = namedUntil('leases');
