import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUSY_TIMEOUT_MS, whileBusy } from '../../src/store/sqlite/connection.ts';

const busy = () => Object.assign(new Error('database is locked'), { errcode: 5 });
/** SQLITE_BUSY_SNAPSHOT: the primary code is in the low byte. */
const busySnapshot = () => Object.assign(new Error('database is locked'), { errcode: 517 });

test('work is retried while the database is busy, and its value returned', () => {
  let tries = 0;
  const value = whileBusy(() => {
    tries += 1;
    if (tries === 1) throw busy();
    if (tries === 2) throw busySnapshot();
    return 'done';
  });
  assert.deepEqual([value, tries], ['done', 3]);
});

test('any other fault is thrown at once', () => {
  for (const fault of [new Error('of ours'), Object.assign(new Error('disk I/O error'), { errcode: 10 })]) {
    let tries = 0;
    const work = () => {
      tries += 1;
      throw fault;
    };
    assert.throws(() => whileBusy(work), fault);
    assert.equal(tries, 1);
  }
});

test('retries of a busy database end after the timeout, not before', (t) => {
  let waited = 0;
  t.mock.method(Atomics, 'wait', (_: Int32Array, __: number, ___: number, milliseconds = 0) => {
    waited += milliseconds;
    return 'timed-out';
  });
  assert.throws(
    () =>
      whileBusy(() => {
        throw busy();
      }),
    /database is locked/,
  );
  assert.ok(Math.abs(waited - BUSY_TIMEOUT_MS) < 1, `${waited} ms`);
});
