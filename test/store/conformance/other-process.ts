// Another process on the same database, opened as its back end says. It increments one row with that many callers at once, or
// changes a thousand rows together, again and again, until it is killed.
import { writeSync } from 'node:fs';
import type { BackEnd } from '../../../src/store/back-end.ts';
import { storeOf } from '../../../src/store/change.ts';
import { rowOf } from '../../../src/store/store.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { counter, increment } from './rows.ts';

const [module = '', argument = '', work = '1'] = process.argv.slice(2);
const { openElsewhere } = (await import(module)) as { openElsewhere: (argument: string) => Promise<BackEnd> };
const store = storeOf(await openElsewhere(argument));
const rows = Array.from({ length: 1000 }, (_, n) => rowOf(attempts, `row ${n}`));
for (let changes = 0; work === 'write'; changes++) {
  await store.changeAll(rows, (found) => {
    const next = rows.map(({ key }, place) => counter(key, (found[place]?.row.count ?? 0) + 1));
    if (changes > 5) writeSync(1, '.'); // the commit begins; the code is warm
    return { outcome: undefined, next };
  });
}
const outcomes = await Promise.all(Array.from({ length: Number(work) }, () => increment(store, 'a')));
await store.close();
process.stdout.write(JSON.stringify(outcomes));
