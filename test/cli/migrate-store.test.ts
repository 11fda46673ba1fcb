// `tessera migrate-store` as docs/postgresql.md describes it: beside a service, again, and once more when that has stopped.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storeOf } from '../../src/store/change.ts';
import { takeOver } from '../../src/store/move-mark.ts';
import { aNode, issue } from '../node.ts';
import { postgresDatabase } from '../store/postgres-database.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';
import { runTessera } from './command.ts';

test('migrate-store can be repeated while a service runs, finished after it stops, and is refused once a service uses the target', async () => {
  const [old, target] = [await sqliteDatabase(), await postgresDatabase()];
  const service = await old.open();
  await issue(await aNode(storeOf(service)));
  const run = () =>
    runTessera(['migrate-store', '--from', `sqlite:${old.path}`, '--to', target.url], { folder: old.folder });

  for (let n = 0; n < 2; n++) {
    const { status, printed } = await run();
    assert.equal(status, 0, printed);
    assert.match(printed, /not complete.*1\. Stop the service/s);
  }
  await assert.rejects(takeOver(storeOf(await target.open())), /not complete/);

  await service.close();
  for (let n = 0; n < 2; n++) {
    const { status, printed } = await run();
    assert.equal(status, 0, printed);
    assert.match(printed, /Moved, and proved.*Set store:/s);
  }

  await takeOver(storeOf(await target.open()));
  const { status, printed } = await run();
  assert.equal(status, 1, printed);
  assert.match(printed, /is in use.*empty database/s);
  await Promise.all([old.remove(), target.remove()]);
});
