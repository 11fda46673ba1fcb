import type { EpochSeconds } from '../../core/time.ts';
import type { Table } from '../table.ts';
import { namedUntil } from './named-until.ts';

/** Work that one node has claimed for itself. */
export interface LeaseRow {
  readonly name: string;
  /** From then on any node may claim it. */
  readonly endsAt: EpochSeconds;
}

export const leases: Table<LeaseRow> = namedUntil('leases');
