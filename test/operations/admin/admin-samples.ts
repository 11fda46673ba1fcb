// A store of its own for each test of administration.
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { actWords } from '../../../src/core/act.ts';
import { type EpochSeconds, epochSeconds } from '../../../src/core/time.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { systemRandom } from '../../../src/system.ts';
import { NOW, OPERATOR } from '../../samples.ts';
import { newSqlite } from '../../store/new-sqlite.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

export async function administration(context: TestContext) {
  const path = join(temporaryFolder('admin'), 'tessera.db');
  newSqlite(path);
  let now: EpochSeconds = NOW;
  const store = await openSqliteStore({ path, clock: () => now });
  context.after(() => store.close());
  const pass = (length: number) => {
    now = epochSeconds(now + length);
  };
  const did = async () =>
    (await store.events({ after: 0, limit: 100 }))
      .filter((event) => event.type === 'administered')
      .map(({ detail }) => actWords(detail));
  return { store, by: OPERATOR, random: systemRandom, pass, did };
}
