import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { storeOf } from '../../../src/store/change.ts';
import { insert, StoreUnavailable } from '../../../src/store/store.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import type { Claim, TestDatabase } from '../conformance.ts';
import { commitOf, counter, countOf, create, increment, put } from './rows.ts';

const CHILD = join(import.meta.dirname, 'other-process.ts');

export function nodes(claim: Claim): void {
  claim('a node reads every change that another has acknowledged', async (database) => {
    const [one, other] = [storeOf(await database.open()), storeOf(await database.open())];
    for (let count = 1; count <= 20; count++) {
      await put(one, attempts, counter('a', count));
      assert.equal((await other.load(attempts, 'a')).found?.row.count, count);
    }
  });

  claim('64 callers at two nodes change one row at once: no update is lost', async (database) => {
    const stores = [storeOf(await database.open()), storeOf(await database.open())];
    await Promise.all(stores.flatMap((store) => Array.from({ length: 32 }, () => increment(store, 'a'))));
    assert.equal(await countOf(await database.open(), 'a'), 64);
  });

  claim('two processes change one row at once: no update is lost', async (database) => {
    const processes = Array.from({ length: 2 }, () => incrementElsewhere(database, 50));
    const results = await Promise.all(processes);
    assert.equal(new Set(results.flat()).size, 100, 'every caller saw a number of its own');
    assert.equal(await countOf(await database.open(), 'a'), 100);
  });

  claim(
    'closing waits for earlier changes, refuses later ones and can be repeated',
    async ({ backEnd, ...database }) => {
      const store = storeOf(backEnd);
      const commits = ['a', 'b', 'c'].map((about) =>
        backEnd.commit(commitOf({ inserts: [insert(attempts, counter(about))] })),
      );
      const changes = ['e', 'f'].map((about) => increment(store, about));
      const creations = ['g', 'h'].map((about) => create(store, about));
      await store.close();
      assert.deepEqual(await Promise.all(commits), [true, true, true]);
      assert.deepEqual(await Promise.all(changes), [1, 1]);
      assert.deepEqual(await Promise.all(creations), ['g', 'h']);
      await assert.rejects(increment(store, 'a'), StoreUnavailable);
      await assert.rejects(create(store, 'i'), StoreUnavailable);
      await assert.rejects(backEnd.commit(commitOf({ inserts: [insert(attempts, counter('d'))] })), StoreUnavailable);
      await store.close();
      assert.equal(await countOf(await database.open(), 'c'), 0);
    },
  );

  claim('the nodes agree on the time', async (database) => {
    const [one, other] = [await database.open(), await database.open()];
    const readings: number[] = [];
    for (let times = 0; times < 20; times++) {
      readings.push(await one.now(), await other.now());
      readings.push((await one.load(attempts, 'none')).now);
    }
    const inOrder = readings.toSorted((earlier, later) => earlier - later);
    assert.deepEqual(readings, inOrder, 'no node reads an earlier time than another did before');
  });
}

/** Another process opens the database, and its callers increment one row at once. */
function incrementElsewhere({ elsewhere }: TestDatabase, callers: number): Promise<number[]> {
  const child = spawn(process.execPath, [CHILD, elsewhere.module, elsewhere.argument, String(callers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`the other process ended with ${code}`)),
    );
  });
}
