// Databases from before the event log had partitions.
import { MIGRATIONS } from '../../src/store/postgres/migrations.ts';

/** How many migrations such a database has. */
export const UNPARTITIONED = MIGRATIONS.findIndex(({ steps }) => steps.some((step) => step.includes('PARTITION BY')));
/** Later migrations add them, and the node of these tests, which is of this release, writes them. */
export const NEWER_COLUMNS = MIGRATIONS.slice(UNPARTITIONED + 1)
  .flatMap(({ steps }) => steps.filter((step) => step.includes('ADD COLUMN')))
  .join(';');
