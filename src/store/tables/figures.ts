import type { Figures } from '../../core/figures.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable } from '../table.ts';

export interface KeptFigures extends Figures {
  readonly endsAt: EpochSeconds;
}

/** One row for each node and stretch of time. Keys are in the order of step and time, so that a range is read by them. */
export const figures = keyedTable<KeptFigures>({
  name: 'figures',
  columns: [
    { name: 'stretch', kind: 'text', fixed: true, of: (row) => stretchKey(row) },
    { name: 'body', kind: 'json', of: (row) => JSON.stringify({ ...row, endsAt: undefined }) },
    { name: 'ends_at', kind: 'integer', fixed: true, of: ({ endsAt }) => endsAt },
  ],
  decode: ([, body, endsAt]) => ({ ...JSON.parse(body as string), endsAt: endsAt as EpochSeconds }),
  endsAt: 'ends_at',
});

/** Without a node: before the keys of all nodes. */
export function stretchKey({ step, at, node = '' }: Pick<Figures, 'step' | 'at'> & { readonly node?: string }): string {
  return `${String(step).padStart(5, '0')} ${String(at).padStart(11, '0')} ${node}`;
}
