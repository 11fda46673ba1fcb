// Rows that nodes use to share upkeep work.
import type { EpochSeconds } from '../../core/time.ts';
import type { Table } from '../table.ts';

/** Work that one node has claimed for itself. */
export interface LeaseRow {
  readonly name: string;
  /** From then on any node may claim it. */
  readonly endsAt: EpochSeconds;
}

export const leases: Table<LeaseRow> = namedUntil('leases');

/** A revocation list that a machine has processed completely. */
export interface EndedList {
  /** The list and the machine. */
  readonly name: string;
  /** From then on the list is processed again at the next start. */
  readonly endsAt: EpochSeconds;
}

export const endedLists: Table<EndedList> = namedUntil('ended_lists');

function namedUntil(table: string): Table<{ readonly name: string; readonly endsAt: EpochSeconds }> {
  return {
    name: table,
    columns: [
      { name: 'name', kind: 'text', fixed: true, of: ({ name }) => name },
      { name: 'ends_at', kind: 'integer', of: ({ endsAt }) => endsAt },
    ],
    keyOf: ({ name }) => name,
    encodeKey: (name) => name,
    decode: ([name, endsAt]) => ({ name: name as string, endsAt: endsAt as EpochSeconds }),
    indexes: [],
    endsAt: 'ends_at',
  };
}
