// Another process on the same database, opened as its back end says. It increments one row with that many callers at once, or
// changes two hundred rows together, again and again, until it is killed.
import type { BackEnd } from '../../../src/store/back-end.ts';
import { storeOf } from '../../../src/store/change.ts';
import { rowOf } from '../../../src/store/store.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { counter, increment } from './rows.ts';

const [module = '', argument = '', work = '1'] = process.argv.slice(2);
const { openElsewhere } = (await import(module)) as { openElsewhere: (argument: string) => Promise<BackEnd> };
const store = storeOf(await openElsewhere(argument));
const rows = Array.from({ length: 200 }, (_, n) => rowOf(attempts, `row ${n}`));
while (work === 'write') {
  await store.changeAll(rows, (found) => ({
    outcome: undefined,
    next: rows.map(({ key }, place) => counter(key, (found[place]?.row.count ?? 0) + 1)),
  }));
  process.stdout.write('.');
}
const outcomes = await Promise.all(Array.from({ length: Number(work) }, () => increment(store, 'a')));
await store.close();
process.stdout.write(JSON.stringify(outcomes));
