import type { EpochSeconds } from '../../core/time.ts';
import type { Table } from '../table.ts';
import { namedUntil } from './named-until.ts';

/** A revocation list that a machine has processed completely. */
export interface EndedList {
  /** The list and the machine. */
  readonly name: string;
  /** From then on the list is processed again at the next start. */
  readonly endsAt: EpochSeconds;
}

export const endedLists: Table<EndedList> = namedUntil('ended_lists');
