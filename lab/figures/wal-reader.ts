// A process that reads without pause: pages of grants, and counts of the whole table.
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { GRANTS_BY_KEY, grants } from '../../src/store/tables/grants.ts';
import { systemClock } from '../../src/system.ts';

const store = await openSqliteStore({ path: process.argv[2] ?? '', clock: () => systemClock.now() });
for (;;) {
  await store.count(grants, GRANTS_BY_KEY);
  await store.page(grants, { limit: 500 });
  await new Promise(setImmediate);
}
