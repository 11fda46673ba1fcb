import assert from 'node:assert/strict';
import { epochSeconds } from '../../../src/core/time.ts';
import { TABLES } from '../../../src/store/all-tables.ts';
import type { Claim } from '../conformance.ts';

export function schema(claim: Claim): void {
  claim('the migrations make the columns that the descriptions of tables name', async ({ backEnd }) => {
    for (const table of TABLES) {
      assert.deepEqual(await backEnd.page(table, { limit: 1 }), [], table.name);
      if (table.ends) assert.equal(await backEnd.sweep(table, epochSeconds(1), 1), 0, table.name);
    }
  });

  claim('and an index for each column by which rows are found or swept', async (database) => {
    await database.open();
    const needed = TABLES.flatMap(({ name, indexes = [], ends }) =>
      [...indexes, ...(ends ? [ends.at] : [])].map((column) => `${name}.${column}`),
    );
    const made = new Set(await database.firstIndexedColumns());
    assert.ok(needed.length >= 15, 'the descriptions name indexes');
    assert.deepEqual(
      needed.filter((column) => !made.has(column)),
      [],
    );
  });
}
