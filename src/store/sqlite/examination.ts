// What the back end reports about itself: whether a refresh could be served now.
import type { DatabaseSync } from 'node:sqlite';
import type { EpochSeconds } from '../../core/time.ts';
import { check } from '../report.ts';
import type { StoreReport } from '../store.ts';
import type { Loads } from './loads.ts';
import { assertSchema } from './migrations.ts';
import type { Soundness } from './soundness.ts';

const ANY_READ = 'SELECT count(*) FROM service_times';

export interface Examined {
  readonly database: DatabaseSync;
  readonly loads: Loads;
  readonly soundness: Soundness;
  readonly clock: () => EpochSeconds;
}

export async function examine({ database, loads, soundness, clock }: Examined): Promise<StoreReport> {
  return {
    now: clock(),
    checks: [
      check('store', 'the database cannot be read', () => loads.all(ANY_READ, [])),
      check('schema', 'another release has changed the schema', () => assertSchema(database)),
      ...soundness.examine(),
    ],
  };
}
