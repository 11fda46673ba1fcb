import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable } from '../table.ts';

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
  columns: [
    { name: 'name', kind: 'text', fixed: true, of: ({ name }) => name },
    { name: 'keys', kind: 'json', of: ({ keys }) => JSON.stringify(keys) },
    { name: 'ends_at', kind: 'integer', of: ({ endsAt }) => endsAt },
  ],
  decode: ([name, keys, endsAt]) => ({
    name: name as string,
    keys: JSON.parse(keys as string),
    endsAt: endsAt as EpochSeconds,
  }),
  endsAt: 'ends_at',
});
