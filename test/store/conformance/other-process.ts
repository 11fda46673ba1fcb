// Another process on the same database: opens it as its back end says, and increments one row with many callers at once.
import type { BackEnd } from '../../../src/store/back-end.ts';
import { storeOf } from '../../../src/store/change.ts';
import { increment } from './rows.ts';

const [module = '', argument = '', callers = '1'] = process.argv.slice(2);
const { openElsewhere } = (await import(module)) as { openElsewhere: (argument: string) => Promise<BackEnd> };
const store = storeOf(await openElsewhere(argument));
const outcomes = await Promise.all(Array.from({ length: Number(callers) }, () => increment(store, 'a')));
await store.close();
process.stdout.write(JSON.stringify(outcomes));
