// The tests that every back end must pass. A back end provides fresh databases; nothing here depends on which it is.
import { test } from 'node:test';
import type { BackEnd } from '../../src/store/back-end.ts';
import { storeOf } from '../../src/store/change.ts';
import type { Store } from '../../src/store/store.ts';
import { atomicity } from './conformance/atomicity.ts';
import { concurrency } from './conformance/concurrency.ts';
import { events } from './conformance/events.ts';
import { lookups } from './conformance/lookups.ts';
import { nodes } from './conformance/nodes.ts';
import { operations } from './conformance/operations.ts';
import { paging } from './conformance/paging.ts';
import { schema } from './conformance/schema.ts';
import { severalRows } from './conformance/several-rows.ts';
import { sweeping } from './conformance/sweeping.ts';
import { unknownCommits } from './conformance/unknown-commits.ts';
import { values } from './conformance/values.ts';

/** A fresh, empty, migrated database for one test. */
export interface TestDatabase extends AsyncDisposable {
  /** Opens the database again, as another node. `remove` closes all of them. */
  open(): Promise<BackEnd>;
  /** How another process opens it: a module that exports `openElsewhere(argument): Promise<BackEnd>`. */
  readonly elsewhere: { readonly module: string; readonly argument: string };
  /** `table.column` of the first column of every index. */
  firstIndexedColumns(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

/** And its first node. */
interface Opened extends TestDatabase {
  readonly backEnd: BackEnd;
  readonly store: Store;
}

/** States a claim about every back end; the proof gets its own database. Times are relative to the store's clock. */
export type Claim = (what: string, proof: (opened: Opened) => Promise<void>) => void;

const PARTS = [
  atomicity,
  concurrency,
  severalRows,
  unknownCommits,
  nodes,
  operations,
  lookups,
  paging,
  schema,
  events,
  sweeping,
  values,
] as const;

export function conformance(name: string, create: () => Promise<TestDatabase>): void {
  const claim: Claim = (what, proof) =>
    void test(`${name}: ${what}`, async () => {
      await using database = await create();
      const backEnd = await database.open();
      await proof({ ...database, backEnd, store: storeOf(backEnd) });
    });
  for (const part of PARTS) part(claim);
}
