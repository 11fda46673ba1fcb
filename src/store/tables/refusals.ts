import type { EpochSeconds } from '../../core/time.ts';
import type { Table } from '../table.ts';

/** How often requests for one integration were refused for one reason. */
export interface RefusalRow {
  /** Empty: no registered integration was named. */
  readonly clientId: string;
  /** Empty: the request was refused before anybody was identified. */
  readonly identityId: string;
  readonly reason: string;
  readonly count: number;
  readonly first: EpochSeconds;
  readonly last: EpochSeconds;
  /** Of the last one. */
  readonly requestId: string;
  readonly address: string;
  readonly endsAt: EpochSeconds;
}

export type RefusalKey = Pick<RefusalRow, 'clientId' | 'identityId' | 'reason'>;

/** In the order of integrations. */
export const refusals: Table<RefusalRow> = {
  name: 'refusals',
  columns: [
    { name: 'about', kind: 'text', fixed: true, of: (row) => refusalKey(row) },
    { name: 'body', kind: 'json', of: ({ endsAt: _, ...body }) => JSON.stringify(body) },
    { name: 'ends_at', kind: 'integer', of: ({ endsAt }) => endsAt },
  ],
  keyOf: (row) => refusalKey(row),
  encodeKey: (key) => key,
  decode: ([, body, endsAt]) => ({ ...JSON.parse(body as string), endsAt: endsAt as EpochSeconds }),
  endsAt: 'ends_at',
};

/** None of them contains a space. */
export function refusalKey({ clientId, identityId, reason }: RefusalKey): string {
  return `${clientId} ${identityId} ${reason}`;
}
