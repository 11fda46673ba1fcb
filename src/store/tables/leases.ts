import type { EpochSeconds } from '../../core/time.ts';
import { fieldColumns, HOUR, keyedTable } from '../table.ts';

/** A table of names, each with a time at which its row ends. */
function namedUntil(table: string) {
  const columns = fieldColumns<Pick<NodeReport, 'name' | 'endsAt'>>({ name: 'fixed text', endsAt: 'integer' });
  return keyedTable({
    name: table,
    rows: 'changing',
    ...columns,
    ends: { at: 'ends_at', kept: HOUR },
    isRebuilt: true,
  });
}

/** Work that one node has claimed for itself. After its end, any node may claim it. */
export const leases = namedUntil('leases');

/** The revocation lists that a machine has processed completely. After its end, a list is processed again at the next start. */
export const endedLists = namedUntil('ended_lists');

/** A running node, as it last reported itself. */
export interface NodeReport {
  /** Host, process and a random part: readable and unique. */
  readonly name: string;
  /** The fingerprints of its MAC keys and the ids of its signing keys. They reveal nothing about the keys. */
  readonly keys: readonly string[];
  /** Until then it counts as running. */
  readonly endsAt: EpochSeconds;
}

export const nodes = keyedTable<NodeReport>({
  name: 'nodes',
  rows: 'changing',
  ...fieldColumns<NodeReport>({ name: 'fixed text', keys: 'json', endsAt: 'integer' }),
  ends: { at: 'ends_at', kept: HOUR },
  isRebuilt: true,
});
