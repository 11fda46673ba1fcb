import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portsOfRequest } from '../../src/operations/ports.ts';
import { rowOf } from '../../src/store/store.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { told } from '../store/conformance/rows.ts';
import { onSqlite } from './on-sqlite.ts';

test('every event of a request names it, whether one row changes, several, or a new one', async (t) => {
  const { node } = await onSqlite(t);
  const { store } = portsOfRequest(node, 'request 7');
  const decide = () => ({ outcome: undefined, events: [told(1)] });
  await store.change(attempts, 'a', decide);
  await store.changeAll([rowOf(attempts, 'a')], decide);
  await store.create(attempts, 'b', decide);
  const events = await store.events({ after: 0, limit: 10 });
  assert.deepEqual(
    events.map((event) => JSON.stringify(event).includes('request 7')),
    [true, true, true],
  );
});
